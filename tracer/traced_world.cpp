// SPDX-License-Identifier: Apache-2.0
#include "tracer/traced_world.hpp"

#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "tracer/call_table.hpp"
#include "tracer/spawn.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

constexpr Nanos call_takes = 100;           // little: a library of many calls is not late by it
constexpr Nanos call_of_poll_takes = 1000;  // behind so many without a wait: who polls the clock comes to an end
constexpr std::uint64_t most_calls_before_poll = 20'000;
constexpr Nanos counter_takes = 100;
constexpr Nanos cut_takes = millisecond;
constexpr std::uint64_t most_calls_in_slice = 20'000;
constexpr int most_idle_looks = 4;        // a second apart
constexpr std::int64_t most_ticks = 150;  // hundredths of a second of processor time
constexpr std::uint64_t most_cuts = 50;
constexpr int syscall_stop = SIGTRAP | 0x80;

bool has_ended(int status) { return WIFEXITED(status) || WIFSIGNALED(status); }

}  // namespace

TracedWorld::TracedWorld(const WorldSpec& spec, std::int64_t born_ns)
    : spec_(spec), seed_(spec.seed * 0x9e3779b97f4a7c15U | 1), connections_(log_, spec.latency), file_numbers_(born_ns),
      hosts_(spec.hosts.size()) {
  for (std::size_t i = 0; i < hosts_.size(); ++i) hosts_[i].start = spec.hosts[i].start;
}

TracedWorld::~TracedWorld() = default;

std::uint64_t TracedWorld::draw() {
  seed_ ^= seed_ << 13;
  seed_ ^= seed_ >> 7;
  return seed_ ^= seed_ << 17;
}

Process& TracedWorld::add_process(pid_t pid, int host, Process* parent) {
  processes_.push_back(std::make_unique<Process>(
      Process{.pid = pid, .host = host, .parent = parent, .is_first = parent == nullptr, .handle = {}}));
  processes_.back()->handle = real::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  return *processes_.back();
}

Thread& TracedWorld::add_thread(pid_t tid, Process& process) {
  threads_.push_back(std::make_unique<Thread>(Thread{.tid = tid, .process = &process, .number = threads_.size()}));
  if (early_.erase(tid) > 0) threads_.back()->newborn = false;
  return *threads_.back();
}

Thread* TracedWorld::find(pid_t tid) {
  const auto found = std::ranges::find_if(
      threads_, [&](const auto& thread) { return thread->tid == tid && thread->state != Thread::State::dead; });
  return found == threads_.end() ? nullptr : found->get();
}

int TracedWorld::host_of(pid_t pid) const {
  for (const auto& process : processes_)
    if (process->pid == pid && !process->dead) return process->host;
  return -1;
}

void TracedWorld::start_host(std::size_t index) {
  Host& host = hosts_[index];
  host.start = never;
  host.up = true;
  log_.add(fmt::format("{} h{} starts", now_, index));
  const pid_t pid = spawn(spec_.hosts[index], host);
  add_thread(pid, add_process(pid, static_cast<int>(index), nullptr)).newborn = false;
}

/// Of a thread that is not the one that runs.
void TracedWorld::handle_elsewhere(pid_t tid, int status) {
  Thread* thread = find(tid);
  if (thread && has_ended(status)) return ended(*thread, status);
  if (thread) thread->newborn = false;
  if (!thread && WIFSTOPPED(status)) early_.insert(tid);
}

/// Its next stop. Throws Refusal where none comes.
int TracedWorld::resume(Thread& thread, int request, int signal) {
  ptrace(static_cast<__ptrace_request>(request), thread.tid, nullptr, signal);
  idle_looks_ = 0;
  ticks_ = -1;
  for (;;) {
    int status = 0;
    const pid_t tid = waitpid(-1, &status, __WALL);
    if (tid == thread.tid) return status;
    if (tid >= 0) handle_elsewhere(tid, status);
    if (tid < 0 && errno == EINTR) inspect(thread);
    if (tid < 0 && errno == ECHILD) throw Refusal{"a program left the world of which it was a part"};
  }
}

/// Once a second. A thread that waits in the kernel is in a call that nobody serves; one that runs is cut after a time
/// of the processor, not of the clock, since the machine may be busy.
void TracedWorld::inspect(Thread& thread) {
  const std::string text = read_process_file(thread.tid, "stat");
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return;
  char state = 0;
  long user = 0, kernel = 0;
  constexpr auto fields = " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld";
  if (std::sscanf(text.c_str() + end + 1, fields, &state, &user, &kernel) != 3) return;
  const std::string& name = spec_.hosts[static_cast<std::size_t>(thread.process->host)].name;
  if (state == 'S' && ++idle_looks_ > most_idle_looks) {
    const std::string made = read_process_file(thread.tid, "syscall");
    throw Refusal{
        fmt::format("{} waits in the call {}, whose wait is not served", name, name_of_call(std::atol(made.c_str())))};
  }
  if (ticks_ < 0) ticks_ = user + kernel;
  if (state != 'R' || user + kernel - ticks_ < most_ticks || cutting_) return;
  if (report_.cuts >= most_cuts) throw Refusal{fmt::format("{} computes without end, or waits in a loop", name)};
  cutting_ = true;
  syscall(SYS_tgkill, thread.process->pid, thread.tid, SIGSTOP);
}

bool TracedWorld::handle_event(Thread& thread, int status) {
  const int event = status >> 16;
  const bool makes_thread = event == PTRACE_EVENT_CLONE;
  if (makes_thread || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
    unsigned long tid = 0;
    ptrace(PTRACE_GETEVENTMSG, thread.tid, nullptr, &tid);
    const bool is_thread = makes_thread && (thread.registers.argument(0) & CLONE_THREAD) != 0;
    const auto id = static_cast<pid_t>(tid);
    add_thread(id, is_thread ? *thread.process : add_process(id, thread.process->host, thread.process));
    return true;
  }
  if (event != PTRACE_EVENT_EXEC) return false;
  const std::uint64_t first = draw();
  clean_auxiliary_vector(thread.tid, first, draw());
  return true;
}

bool TracedWorld::make_call(Thread& thread) {
  for (int signal = 0;;) {
    const int status = resume(thread, PTRACE_SYSCALL, signal);
    signal = 0;
    if (has_ended(status)) {
      ended(thread, status);
      return false;
    }
    if (handle_event(thread, status)) continue;
    if (WSTOPSIG(status) == syscall_stop) {
      thread.registers = Registers::of(thread.tid);
      return true;
    }
    signal = WSTOPSIG(status);
  }
}

bool TracedWorld::make_call_at_once(Thread& thread) {
  const bool by_time = std::exchange(thread.timed_out, false);
  ChangedCall changed(thread);
  const Address zero = thread.registers.scratch();
  write_value(thread.tid, zero, timespec{});
  switch (thread.call) {
    case SYS_poll: changed.set(2, 0); break;
    case SYS_ppoll:
    case SYS_rt_sigtimedwait: changed.set(2, zero); break;
    case SYS_select:
    case SYS_pselect6: changed.set(4, zero); break;
    case SYS_epoll_wait:
    case SYS_epoll_pwait: changed.set(3, 0); break;
    case SYS_epoll_pwait2: changed.set(3, zero); break;
    case SYS_wait4: changed.set(2, thread.registers.argument(2) | WNOHANG); break;
    case SYS_waitid: changed.set(3, thread.registers.argument(3) | WNOHANG); break;
    default: break;
  }
  if (!changed.make(*this)) return false;
  const Address info = thread.registers.argument(2);  // of waitid, which answers 0 always
  const bool found_child =
      thread.call == SYS_waitid && (info == 0 || read_value<siginfo_t>(thread.tid, info).si_pid != 0);
  const bool nothing = thread.call == SYS_rt_sigtimedwait ? changed.result() == -EAGAIN : changed.result() == 0;
  if (by_time || !nothing || found_child) return true;
  thread.keeps_until = thread.has_looked = true;
  thread.registers.repeat_call(thread.call);
  thread.registers.store(thread.tid);
  return true;
}

/// The kernel interrupts a call by a signal, but first asks its own clock whether an instant has come. False: the
/// thread is gone.
bool TracedWorld::interrupt_call(Thread& thread) {
  switch (thread.call) {
    case SYS_connect:
    case SYS_clock_nanosleep:
    case SYS_nanosleep: {
      const bool is_plain = thread.call == SYS_nanosleep;
      const Nanos left = std::max<Nanos>(0, thread.until - now_);
      if (thread.call != SYS_connect && (is_plain || (thread.registers.argument(1) & TIMER_ABSTIME) == 0))
        write_value(thread.tid, thread.registers.argument(is_plain ? 1 : 3), timespec{left / second, left % second});
      answer(thread, -EINTR);
      return true;
    }
    case SYS_futex: {
      ChangedCall without_time(thread);
      without_time.set(3, 0);
      return without_time.make(*this);
    }
    default: return true;
  }
}

/// A call that goes on after a signal without a handler has its end as before, and its arguments.
void TracedWorld::take_up_interrupted(Thread& thread) {
  thread.call = thread.interrupted;
  thread.keeps_until = true;
  thread.registers.set_call(thread.call);
  thread.registers.store(thread.tid);
}

/// False: it waits again, or is gone.
bool TracedWorld::resume_wait(Thread& thread) {
  const Thread::Resume how = std::exchange(thread.resume, Thread::Resume::plainly);
  switch (how) {
    case Thread::Resume::plainly: return true;
    case Thread::Resume::served_again: {
      thread.awaited.clear();
      thread.polled.clear();
      thread.keeps_until = true;
      const bool goes_on = serve_call(thread);
      thread.keeps_until = false;
      return goes_on;
    }
    case Thread::Resume::at_once:
      thread.awaited.clear();
      thread.polled.clear();
      return make_call_at_once(thread);
    case Thread::Resume::by_signal:
      if (!has_due_signal(thread)) return serve_call(thread);  // another thread has taken it
      if (!interrupt_call(thread)) return false;
      break;
  }
  thread.awaited.clear();
  thread.polled.clear();
  return true;
}

/// The thread stands at the entry of a call. False: it waits, or is gone.
bool TracedWorld::serve_call(Thread& thread) {
  const Call* call = call_of(thread.call);
  const std::string& name = spec_.hosts[static_cast<std::size_t>(thread.process->host)].name;
  if (!call || call->treatment == Treatment::refused)
    throw Refusal{fmt::format("{} makes the call {}, which is not served", name, name_of_call(thread.call))};
  if (call->treatment == Treatment::lacking) return answer(thread, -ENOSYS), true;
  thread.has_mask = false;
  const Outcome outcome = call->serve(*this, thread);
  return (outcome == Outcome::decided || outcome == Outcome::passes) && thread.state != Thread::State::dead;
}

void TracedWorld::run_slice(Thread& thread) {
  if (std::exchange(thread.newborn, false)) {
    int status = 0;
    while (waitpid(thread.tid, &status, __WALL) < 0 && errno == EINTR) continue;
    if (has_ended(status)) return ended(thread, status);
  }
  if (!resume_wait(thread)) return;
  const std::uint64_t most = report_.calls + most_calls_in_slice;
  for (int signal = 0;;) {
    const int status = resume(thread, PTRACE_CONT, signal);
    signal = 0;
    if (has_ended(status)) return ended(thread, status);
    if (status >> 16 == PTRACE_EVENT_SECCOMP) {
      thread.registers = Registers::of(thread.tid);
      thread.call = thread.registers.call();
      thread.call == SYS_restart_syscall ? take_up_interrupted(thread) : void(thread.interrupted = thread.call);
      now_ += report_.calls - calls_at_jump_ > most_calls_before_poll ? call_of_poll_takes : call_takes;
      ++report_.calls;
      log_.count({static_cast<std::uint64_t>(now_), thread.number, static_cast<std::uint64_t>(thread.call)});
      if (spec_.logs_calls) log_.add(fmt::format("{} t{} {}", now_, thread.number, name_of_call(thread.call)));
      if (!serve_call(thread) || report_.calls > most) return;
      continue;
    }
    if (handle_event(thread, status)) continue;
    signal = WSTOPSIG(status);
    if (signal == SIGSEGV && serve_counter(thread.tid, static_cast<std::uint64_t>(now_))) {
      now_ += counter_takes;
      signal = 0;
    } else if (signal == SIGSTOP && std::exchange(cutting_, false)) {
      now_ += cut_takes;
      ++report_.cuts;
      return log_.add(fmt::format("{} t{} is cut", now_, thread.number));
    } else if (signal == SIGSTOP || signal == SIGTRAP || signal == syscall_stop) {
      signal = 0;
    } else {
      log_.add(fmt::format("{} t{} signal {}", now_, thread.number, signal));
    }
  }
}

void TracedWorld::ended(Thread& thread, int status) {
  thread.state = Thread::State::dead;
  thread.awaited.clear();
  thread.polled.clear();
  Process& process = *thread.process;
  if (WIFSIGNALED(status)) reap(process);
  for (const auto& other : threads_) {
    if (other->state != Thread::State::waits_for_futex || other->process != &process) continue;
    if (read_value<int>(other->tid, other->futex) != other->futex_value) finish(*other, 0);
  }
  const bool lives = std::ranges::any_of(
      threads_, [&](const auto& other) { return other->process == &process && other->state != Thread::State::dead; });
  if (!lives && !process.dead) process_ended(process, status);
}

void TracedWorld::process_ended(Process& process, int status) {
  process.dead = true;
  process.handle.close();
  log_.add(fmt::format("{} p{} ends {:x}", now_, process.pid, status));
  Host& host = hosts_[static_cast<std::size_t>(process.host)];
  if (process.is_first) host.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::erase_if(timers_, [&](const TimerDescriptor& timer) { return timer.process == &process; });
  // An orphan's parent is whom the kernel gave it to.
  for (const auto& thread : threads_) {
    if (thread->process->host == process.host && thread->state == Thread::State::waits_for_child)
      wake(*thread, Thread::Resume::at_once);
  }
  for (const auto& other : processes_) {
    if (!other->dead && (other.get() == process.parent || (other->host == process.host && other->is_signaled)))
      wake_by_signals(*other);
  }
  for (const auto& child : processes_)
    if (child->parent == &process) child->parent = nullptr;
  host.up =
      std::ranges::any_of(processes_, [&](const auto& other) { return other->host == process.host && !other->dead; });
}

void TracedWorld::reap(Process& process) {
  const auto lives = [&](const auto& thread) {
    return thread->process == &process && thread->state != Thread::State::dead;
  };
  while (std::ranges::any_of(threads_, lives)) {
    int status = 0;
    const pid_t tid = waitpid(-1, &status, __WALL);
    if (tid < 0 && errno != EINTR) return;
    Thread* thread = tid < 0 ? nullptr : find(tid);
    if (thread && thread->process == &process && WIFSTOPPED(status))
      ptrace(PTRACE_CONT, tid, nullptr, 0);
    else if (tid >= 0)
      handle_elsewhere(tid, status);
  }
}

void TracedWorld::leave_zombie(Thread& leader) {
  constexpr int most_looks = 1000;
  ptrace(PTRACE_CONT, leader.tid, nullptr, 0);
  for (int i = 0; i < most_looks && read_process_file(leader.tid, "stat").find(") Z") == std::string::npos; ++i) {
    constexpr unsigned between_us = 100;
    usleep(between_us);
  }
  leader.state = Thread::State::sleeps;
  leader.until = -1;
}

}  // namespace lockproof::tracer
