// SPDX-License-Identifier: Apache-2.0
#include "real/os/janitor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "real/errors.hpp"

namespace lockproof::real {
namespace {

struct ProcessEntry {
  pid_t pid;
  Descriptor process;
};

/// A server may have a process for each connection. If this one has ended, its number may be another's.
std::vector<pid_t> children_of(const ProcessEntry& one) {
  std::vector<pid_t> all;
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", one.pid));
  for (pid_t child = 0; list >> child;) all.push_back(child);
  pollfd ended{one.process.get(), POLLIN, 0};
  if (::poll(&ended, 1, 0) != 0) all.clear();
  return all;
}

/// By descriptor, not by number: a number may belong to another process by then. By system call, since the header that
/// glibc 2.36 has for it does not link from C++.
void kill_all(const std::vector<ProcessEntry>& registered) {
  std::vector<Descriptor> processes;
  for (const ProcessEntry& one : registered) {
    for (const pid_t child : children_of(one)) {
      const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
      if (fd >= 0) processes.emplace_back(fd);
    }
    processes.emplace_back(::dup(one.process.get()));
  }
  for (const Descriptor& process : processes) ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  for (const Descriptor& process : processes) {
    pollfd ended{process.get(), POLLIN, 0};
    ::poll(&ended, 1, 2000);
  }
}

std::string make_folder() {
  const char* base = std::getenv("TMPDIR");
  std::error_code ignored;
  const auto place = std::filesystem::absolute(base && *base ? base : "/tmp", ignored);  // the server changes folders
  std::string name = place / "lockproof-XXXXXX";
  return ::mkdtemp(name.data()) ? name : std::string();
}

[[noreturn]] void clean_when_closed(int orders, int answers, const std::function<std::string()>& last) {
  ::setsid();
  for (const int deaf_to : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(deaf_to, SIG_IGN);
  std::vector<int> kept{orders, answers};
  if (last) kept.push_back(STDERR_FILENO);
  close_descriptors(0, std::move(kept));
  const std::string folder = make_folder();
  const std::string answer = folder + "\n";
  write_all(answers, answer.data(), answer.size());
  ::close(answers);

  std::vector<ProcessEntry> processes;
  pid_t pid = 0;
  for (;;) {  // numbers of processes, each written in one piece
    const auto count = ::read(orders, &pid, sizeof pid);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof pid) break;
    const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (fd >= 0) processes.push_back({pid, Descriptor(fd)});
  }
  kill_all(processes);
  if (last) {
    const std::string said = last();
    write_all(STDERR_FILENO, said.data(), said.size());
  }
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
  ::_exit(0);
}

std::string read_line(int fd) {
  std::string line;
  char c = 0;
  for (;;) {
    const auto count = ::read(fd, &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count != 1 || c == '\n') return line;
    line += c;
  }
}

}  // namespace

Janitor::Janitor(const std::function<std::string()>& last) {
  Pipe orders = make_pipe();
  Pipe answers = make_pipe();
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) clean_when_closed(orders.read_end.get(), answers.write_end.get(), last);
  answers.write_end.close();
  pipe_ = std::move(orders.write_end);
  process_ = std::make_unique<ChildProcess>(pid);
  folder_ = read_line(answers.read_end.get());
  if (folder_.empty()) {
    throw BadEnvironment("cannot make a private folder; is TMPDIR (or /tmp) there and can it be written to?");
  }
}

Janitor::~Janitor() {
  pipe_.close();
  if (process_) process_->wait();
}

std::unique_ptr<ChildProcess> Janitor::fork(const std::function<int()>& body) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    die_with_parent(parent);
    disown();
    ::signal(SIGPIPE, SIG_IGN);
    for (const int to_default : {SIGINT, SIGTERM, SIGHUP}) ::signal(to_default, SIG_DFL);
    ::_exit(body());
  }
  watch(pid);
  return std::make_unique<ChildProcess>(pid);
}

void Janitor::watch(pid_t pid) { write_all(pipe_.get(), reinterpret_cast<const char*>(&pid), sizeof pid); }

}  // namespace lockproof::real
