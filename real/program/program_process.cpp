// SPDX-License-Identifier: Apache-2.0
#include "real/program/program_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "harness/program/said.hpp"
#include "real/errors.hpp"
#include "real/os/child_process.hpp"
#include "real/program/idle_program.hpp"

namespace lockproof::real {

using harness::line_most;

namespace {

constexpr std::size_t errors_most = 64 * 1024;
constexpr int naps_most = 50'000;

/// Whether a process has ended, or is about to: the kernel closes its descriptors a moment before it is known to be
/// dead.
bool is_ending(pid_t pid) {
  constexpr unsigned long exiting = 4;  // PF_EXITING, in the seventh field behind the name, which ends with the last )
  const Descriptor file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  char text[512] = {};
  if (!file.open() || ::read(file.get(), text, sizeof text - 1) <= 0) return true;
  const char* const behind = std::strrchr(text, ')');
  char state = 0;
  unsigned long flags = 0;
  if (!behind || std::sscanf(behind, ") %c %*d %*d %*d %*d %*d %lu", &state, &flags) != 2) return false;
  return state == 'Z' || state == 'X' || (flags & exiting) != 0;
}

/// Appends what can be read. False: the other end is closed.
bool append_from(int fd, std::string& into, std::size_t most) {
  char bytes[16384];
  const auto count = ::read(fd, bytes, sizeof bytes);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (into.size() < most) into.append(bytes, std::min(static_cast<std::size_t>(count), most - into.size()));
  return count > 0;
}

}  // namespace

/// The kernel's file has the time on a processor, the time in the queue for one, and how often.
std::int64_t ProgramProcess::waited_ns() const {
  const Descriptor file(::open(fmt::format("/proc/{}/schedstat", pid()).c_str(), O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  if (!file.open() || ::read(file.get(), text, sizeof text - 1) <= 0) return 0;
  long long ran = 0, waited = 0;
  return std::sscanf(text, "%lld %lld", &ran, &waited) == 2 ? waited : 0;
}

bool ProgramProcess::is_idle() const { return ended_ || is_idle_program(kept_.program, kept_.keeper); }

ProgramProcess::ProgramProcess(const Start& start) : kept_(keep(start)) {}

ProgramProcess::~ProgramProcess() { end_all(kept_); }

void ProgramProcess::attach(EventLoop& loop, ProcessListener hear) {
  hear_ = std::move(hear);
  const auto watch = [&](const Descriptor& at, void (ProgramProcess::*read)()) {
    auto made = std::make_unique<EventLoop::Watch>(loop, at.get(),
                                                   [this, read](EventLoop::Watch::Readiness) { (this->*read)(); });
    made->want(true, false);
    return made;
  };
  output_ = watch(kept_.output, &ProgramProcess::read_lines);
  error_ = watch(kept_.errors, &ProgramProcess::read_errors);
  end_ = watch(kept_.news, &ProgramProcess::read_news);
}

void ProgramProcess::say(std::string_view line) {
  if (ended_ || silenced_ || !kept_.input.open()) return;
  const std::string bytes = std::string(line) + "\n";
  const auto written = ::write(kept_.input.get(), bytes.data(), bytes.size());
  if (written == static_cast<long>(bytes.size())) return;
  const bool closed = written < 0 && errno == EPIPE;
  if (closed && is_ending(pid())) return;  // the news of its end are on their way
  if (closed) return misbehave("closed its standard input, so it cannot be told anything");
  misbehave("does not read its standard input");
}

void ProgramProcess::read_lines() {
  if (!append_from(kept_.output.get(), unread_, line_most * 8)) output_->want(false, false);
  std::size_t begin = 0;
  for (std::size_t end; !silenced_ && (end = unread_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++lines_;
    hear_.line(std::string_view(unread_).substr(begin, end - begin));
  }
  unread_.erase(0, begin);
  if (!silenced_ && unread_.size() > line_most) {
    misbehave(harness::too_long(unread_));
  }
}

void ProgramProcess::read_errors() {
  if (!append_from(kept_.errors.get(), errors_, errors_most)) error_->want(false, false);
}

void ProgramProcess::read_news() {
  if (!append_from(kept_.news.get(), news_, 4096)) end_->want(false, false);
  const std::size_t end = news_.find('\n');
  if (end == std::string::npos || std::exchange(ended_, true)) return;
  const std::string how = news_.substr(0, end);
  if (how.starts_with('!')) throw BadEnvironment(fmt::format("the program cannot be run: {}", how.substr(1)));
  while (!silenced_) {  // what it said last, and why it ended, come before its end
    const std::size_t before = unread_.size() + errors_.size() + static_cast<std::size_t>(lines_);
    read_lines();
    read_errors();
    if (unread_.size() + errors_.size() + static_cast<std::size_t>(lines_) == before) break;
  }
  if (!silenced_) hear_.ended(how);
}

void ProgramProcess::misbehave(const std::string& how) {
  if (std::exchange(silenced_, true)) return;
  unread_.clear();
  hear_.misbehaves(how);
  kill();
}

void ProgramProcess::stop() {
  if (ended_ || ::kill(-kept_.program, SIGSTOP) != 0) return;
  await_stop(kept_.program);
}

void ProgramProcess::go_on() {
  if (!ended_) ::kill(-kept_.program, SIGCONT);
}

/// Waits until it runs no more of its own code. To take its memory away takes the kernel some milliseconds more, in
/// which others go on: they would be late if this waited.
void ProgramProcess::kill() {
  if (std::exchange(ended_, true)) return;
  ::kill(-kept_.program, SIGKILL);
  for (int naps = 0; naps < naps_most && !is_ending(kept_.program); ++naps) {
    const timespec nap{0, 20'000};
    ::nanosleep(&nap, nullptr);
  }
}

}  // namespace lockproof::real
