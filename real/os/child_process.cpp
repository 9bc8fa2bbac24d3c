// SPDX-License-Identifier: Apache-2.0
#include "real/os/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace lockproof::real {
namespace {

/// The state letter in /proc/PID/stat: T is stopped, Z dead; 0 where there is no such process.
char state_of(pid_t pid) {
  const int fd = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[512];
  const auto count = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (count <= 0) return 0;
  text[count] = 0;
  const char* end_of_name = std::strrchr(text, ')');
  return end_of_name && end_of_name[1] ? end_of_name[2] : '\0';
}

/// Waits until the process is in one of these states, or gone, for a second at most.
void await_state(pid_t pid, std::string_view states) {
  for (int i = 0; i < 50'000; ++i) {
    const char state = state_of(pid);
    if (state == 0 || states.find(state) != std::string_view::npos) return;
    const timespec nap{0, 20'000};
    ::nanosleep(&nap, nullptr);
  }
}

bool stop_process(pid_t pid) {
  if (::kill(pid, SIGSTOP) != 0) return false;
  await_stop(pid);
  return true;
}

}  // namespace

/// No waitpid: a stop that was reported once is not reported again.
void await_stop(pid_t pid) { await_state(pid, "TZX"); }

std::vector<pid_t> ChildProcess::children() const {
  std::vector<pid_t> all;
  if (!see_) return all;
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", pid_));
  for (pid_t child = 0; list >> child;) all.push_back(child);
  return all;
}

/// One that stands still makes no more children.
void ChildProcess::stop() {
  if (reaped_ || !stop_process(pid_)) return;
  for (const pid_t child : children()) {
    see_(child);
    stop_process(child);
  }
}

void ChildProcess::go_on() {
  if (reaped_) return;
  for (const pid_t child : children()) ::kill(child, SIGCONT);
  ::kill(pid_, SIGCONT);
}

void ChildProcess::kill_and_reap() {
  if (reaped_) return;
  if (see_) stop_process(pid_);
  const std::vector<pid_t> all = children();
  for (const pid_t child : all) {
    see_(child);
    ::kill(child, SIGKILL);
  }
  for (const pid_t child : all) await_state(child, "ZX");
  ::kill(-pid_, SIGKILL);  // with what a script in its place has started
  ::kill(pid_, SIGKILL);
  wait();
}

bool ChildProcess::alive() {
  siginfo_t ended{};
  if (reaped_ || ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return !reaped_;
  if (ended.si_pid != pid_) return true;
  ::kill(-pid_, SIGKILL);  // until it is reaped, no other group can have its number
  wait();
  return false;
}

void ChildProcess::wait() {
  if (reaped_) return;
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
}

std::optional<std::string> ChildProcess::trouble() const {
  if (!reaped_ || status_ == 0) return std::nullopt;
  if (WIFSIGNALED(status_)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status_));
}

void die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(70);
  ::setpgid(0, 0);  // a Ctrl-C at the terminal is for lockproof alone
}

}  // namespace lockproof::real
