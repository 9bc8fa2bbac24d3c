// SPDX-License-Identifier: Apache-2.0
// Processes, threads and signals.
#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

std::optional<std::uint64_t> mask_at(const Thread& thread, Address at) {
  if (at == 0) return std::nullopt;
  return read_value<std::uint64_t>(thread.tid, at);
}

/// Whether a signal that was sent to `target` reaches the process. It may have ended meanwhile: its group is asked of
/// the kernel, which keeps that until somebody has waited for it.
bool is_reached(const Process& process, pid_t target, pid_t group_of_sender) {
  if (target > 0) return process.pid == target;
  const pid_t group = target == 0 ? group_of_sender : -target;
  return getpgid(process.pid) == group;
}

/// Of a pidfd.
pid_t pid_behind(const Thread& thread, int descriptor) {
  const std::string text = read_process_file(thread.process->pid, fmt::format("fdinfo/{}", descriptor));
  constexpr std::string_view key = "\nPid:\t";
  const std::size_t at = text.find(key);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + key.size());
}

/// A process that is stopped does not run: the world needs no help of the kernel for that.
Outcome stop_or_continue(TracedWorld& world, Thread& thread, const std::vector<Process*>& reached, bool stops) {
  for (Process* process : reached) {
    process->is_stopped = stops;
    world.log().add(fmt::format("{} p{} {}", world.now(), process->pid, stops ? "stands still" : "goes on"));
  }
  answer(thread, reached.empty() ? -ESRCH : 0);
  return thread.process->is_stopped ? Outcome::waits : Outcome::decided;
}

}  // namespace

/// A child that would share its parent's memory until it has started a program has a copy.
Outcome serve_clone(TracedWorld&, Thread& thread) {
  const std::uint64_t flags = thread.registers.argument(0);
  if ((flags & CLONE_VFORK) == 0) return Outcome::passes;
  thread.registers.set_argument(0, flags & ~static_cast<std::uint64_t>(CLONE_VFORK | CLONE_VM));
  thread.registers.store(thread.tid);
  return Outcome::passes;
}

Outcome serve_vfork(TracedWorld&, Thread& thread) {
  thread.registers.set_call(SYS_fork);
  thread.registers.store(thread.tid);
  return Outcome::passes;
}

Outcome serve_fork(TracedWorld&, Thread&) { return Outcome::passes; }

Outcome serve_exit(TracedWorld& world, Thread& thread) {
  const bool others_live = std::ranges::any_of(world.threads(), [&](const auto& other) {
    return other->process == thread.process && other.get() != &thread && other->state != Thread::State::dead;
  });
  if (thread.tid != thread.process->pid || !others_live) return Outcome::passes;
  world.leave_zombie(thread);
  return Outcome::ended;
}

Outcome serve_exit_group(TracedWorld& world, Thread& thread) {
  ptrace(PTRACE_CONT, thread.tid, nullptr, 0);
  world.reap(*thread.process);
  return Outcome::ended;
}

/// Which child has ended is the kernel's answer.
Outcome serve_wait(TracedWorld& world, Thread& thread) {
  if ((thread.registers.argument(thread.call == SYS_wait4 ? 2 : 3) & WNOHANG) != 0) return Outcome::passes;
  if (!thread.has_looked) return world.make_call_at_once(thread) ? Outcome::decided : Outcome::ended;
  thread.keeps_until = false;
  return world.wait(thread, Thread::State::waits_for_child, -1);
}

/// Go's runtime preempts its threads by SIGURG; here a thread runs until it waits.
Outcome serve_kill(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  const bool to_thread = thread.call == SYS_tkill || thread.call == SYS_tgkill;
  const auto signal = static_cast<int>(registers.argument(thread.call == SYS_tgkill ? 2 : 1));
  auto target = static_cast<pid_t>(registers.argument(0));
  if (thread.call == SYS_pidfd_send_signal) {
    target = pid_behind(thread, target);
    if (target <= 0) return Outcome::passes;  // it has ended
  }
  if (thread.call == SYS_tgkill && signal == SIGURG) return answer(thread, 0);
  constexpr std::array stops{SIGTSTP, SIGTTIN, SIGTTOU};
  if (std::ranges::find(stops, signal) != stops.end())
    throw Refusal{"a program is stopped as by a terminal, which is not served"};
  if (target == -1) throw Refusal{"a program sends a signal to every process, which is not served"};
  if (thread.call == SYS_tkill) {
    for (const auto& other : world.threads())
      if (other->tid == target) target = other->process->pid;
  }
  const pid_t group = getpgid(thread.process->pid);
  std::vector<Process*> reached;
  for (const auto& process : world.processes())
    if (!process->dead && is_reached(*process, target, group)) reached.push_back(process.get());
  if (signal == SIGSTOP || signal == SIGCONT) return stop_or_continue(world, thread, reached, signal == SIGSTOP);
  const bool lives = world.make_call(thread);
  world.log().add(fmt::format("{} t{} sends {} to {}", world.now(), thread.number, signal, target));
  for (Process* process : reached) {
    if (signal == 0 || process->dead) continue;
    if (signal == SIGKILL && !to_thread)
      world.reap(*process);
    else
      world.wake_by_signals(*process);
  }
  return lives ? Outcome::decided : Outcome::ended;
}

Outcome serve_pause(TracedWorld& world, Thread& thread) {
  return world.wait(thread, Thread::State::waits_for_signal, -1);
}

Outcome serve_rt_sigsuspend(TracedWorld& world, Thread& thread) {
  thread.has_mask = true;
  thread.mask = mask_at(thread, thread.registers.argument(0)).value_or(0);
  thread.process->is_signaled = true;  // one may be pending already
  return world.wait(thread, Thread::State::waits_for_signal, -1);
}

Outcome serve_rt_sigtimedwait(TracedWorld& world, Thread& thread) {
  const Nanos lasts = read_timespec(thread.tid, thread.registers.argument(2));
  if (lasts == 0) return Outcome::passes;
  return world.wait(thread, Thread::State::waits_for_signal, lasts < 0 ? -1 : world.now() + lasts);
}

Outcome serve_signalfd(TracedWorld&, Thread& thread) {
  thread.process->reads_signals = true;
  return Outcome::passes;
}

}  // namespace lockproof::tracer
