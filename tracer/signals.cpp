// SPDX-License-Identifier: Apache-2.0
// Waits of threads, and what ends them: a signal, above all. The kernel delivers signals; the tracer lets a thread that
// has one make the call at whose entry it waits, and the kernel interrupts it.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "tracer/traced_world.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

struct Signals {
  std::uint64_t own, shared, blocked;  // masks: for the thread, for its process
};

std::uint64_t mask_in(const std::string& status, std::string_view key) {
  const std::size_t at = status.find(key);
  return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + key.size(), nullptr, 16);
}

constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

/// Those that the process ignores are none, though the kernel shows them to a tracer; but one that is blocked besides
/// can be read by a signalfd.
Signals signals_of(const Thread& thread) {
  constexpr std::uint64_t ignored_by_default = bit_of(SIGCHLD) | bit_of(SIGURG) | bit_of(SIGWINCH) | bit_of(SIGCONT);
  const std::string status = read_process_file(thread.tid, "status");
  const std::uint64_t blocked = thread.has_mask ? thread.mask : mask_in(status, "SigBlk:\t");
  const std::uint64_t ignored =
      (mask_in(status, "SigIgn:\t") | (ignored_by_default & ~mask_in(status, "SigCgt:\t"))) & ~blocked;
  return {mask_in(status, "SigPnd:\t") & ~ignored, mask_in(status, "ShdPnd:\t") & ~ignored, blocked};
}

}  // namespace

bool TracedWorld::has_due_signal(const Thread& thread) const {
  const Signals signals = signals_of(thread);
  return ((signals.own | signals.shared) & ~signals.blocked) != 0;
}

void TracedWorld::wake_by_signals(Process& process) {
  process.is_signaled = true;
  bool is_taken = false;  // the process's own, by the first thread that may
  for (const auto& thread : threads_) {
    if (thread->process != &process || !thread->waits()) continue;
    const Signals signals = signals_of(*thread);
    const bool takes_shared = !is_taken && (signals.shared & ~signals.blocked) != 0;
    if ((signals.own & ~signals.blocked) != 0 || takes_shared) {
      is_taken |= takes_shared;
      const bool is_in_call = thread->state != Thread::State::looks_again;
      wake(*thread, is_in_call ? Thread::Resume::by_signal : Thread::Resume::plainly);
    } else if ((signals.own | signals.shared) != 0 &&
               (thread->state == Thread::State::waits_for_signal ||
                (process.reads_signals && thread->state == Thread::State::waits_for_descriptor))) {
      wake(*thread, Thread::Resume::at_once);
    }
  }
}

Outcome TracedWorld::wait(Thread& thread, Thread::State state, Nanos until) {
  if (!std::exchange(thread.keeps_until, false)) thread.until = until;
  thread.state = state;
  if (!std::exchange(thread.has_looked, false) && thread.process->is_signaled) wake_by_signals(*thread.process);
  return Outcome::waits;
}

void TracedWorld::wake(Thread& thread, Thread::Resume resume) {
  thread.state = Thread::State::ready;
  thread.resume = resume;
}

void TracedWorld::finish(Thread& thread, long result) {
  answer(thread, result);
  thread.awaited.clear();
  thread.polled.clear();
  wake(thread, Thread::Resume::plainly);
}

}  // namespace lockproof::tracer
