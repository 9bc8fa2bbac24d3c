// SPDX-License-Identifier: Apache-2.0
// The loop of a traced world: one thread at a time, and virtual time passes only when nobody is ready.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "tracer/traced_world.hpp"

namespace lockproof::tracer {
namespace {

constexpr std::uint64_t most_calls_between_jumps = 300'000;  // of time: then somebody always has something to do

void ring(int) {}

/// waitpid is interrupted once a second, so that a thread that never stops is noticed.
void set_alarm() {
  struct sigaction action {};
  action.sa_handler = ring;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval each_second{{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &each_second, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void read_all(const real::Descriptor& from, std::string& into) {
  std::array<char, 1 << 16> part;
  ssize_t count = 0;
  while (from.open() && (count = read(from.get(), part.data(), part.size())) > 0)
    into.append(part.data(), static_cast<std::size_t>(count));
}

}  // namespace

WorldReport TracedWorld::run() {
  set_alarm();
  try {
    while (!is_over()) turn();
  } catch (const Refusal& refusal) {
    report_.end = WorldReport::End::refused;
    report_.words = refusal.words;
  }
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    converse(i);
    report_.hosts.push_back({std::move(hosts_[i].printed), std::move(hosts_[i].complaints), hosts_[i].code});
  }
  report_.digest = log_.digest();
  report_.log = log_.take();
  report_.messages = connections_.sent();
  report_.connections = connections_.size();
  report_.threads = threads_.size();
  report_.ended_at = now_;
  return std::move(report_);
}

bool TracedWorld::is_over() {
  if (report_.end != WorldReport::End::finished) return true;
  for (std::size_t i = 0; i < hosts_.size(); ++i)
    if (!spec_.hosts[i].server && (hosts_[i].up || hosts_[i].start != never)) return false;
  return true;
}

void TracedWorld::turn() {
  for (std::size_t i = 0; i < hosts_.size(); ++i)
    if (hosts_[i].start <= now_) start_host(i);
  deliver_due();
  ring_due();
  wake_due();
  wake_polled();
  if (Thread* next = next_ready()) {
    run_slice(*next);
    if (report_.calls - calls_at_jump_ > most_calls_between_jumps)
      throw Refusal{
          fmt::format("{} polls without end", spec_.hosts[static_cast<std::size_t>(next->process->host)].name)};
    connections_.take_sent(now_);
    converse();
    return;
  }
  calls_at_jump_ = report_.calls;
  const Nanos next = next_instant();
  if (next == never) {
    report_.end = WorldReport::End::stuck;
    report_.words = "every program waits, and nothing will wake one";
  } else if (next > spec_.limit) {
    report_.end = WorldReport::End::limit;
    report_.words = fmt::format("not over at {} s of virtual time", spec_.limit / second);
  }
  if (next != never) now_ = std::max(now_, std::min(next, spec_.limit));
}

void TracedWorld::deliver_due() {
  while (!connections_.empty() && connections_.first().at <= now_) {
    Message message = connections_.take_first();
    if (message.kind == Message::Kind::bytes) {
      ++report_.deliveries;
      log_.add(fmt::format("{} d{} c{}.{}", now_, report_.deliveries, message.connection, message.direction));
      if (spec_.fault && !struck_ && report_.deliveries == static_cast<std::uint64_t>(spec_.fault->delivery))
        strike(*spec_.fault, message);
    }
    const auto side = static_cast<std::size_t>(message.direction);
    if (connections_.at(message.connection).muted[side]) continue;
    connections_.deliver(message, now_, [this](pid_t pid) { return host_of(pid); });
  }
}

void TracedWorld::strike(const FaultSpec& fault, Message& message) {
  struck_ = true;
  constexpr std::array names{"pause", "kill", "crash", "discard"};
  log_.add(
      fmt::format("{} fault {} at delivery {}", now_, names.at(static_cast<std::size_t>(fault.kind)), fault.delivery));
  switch (fault.kind) {
    case FaultSpec::Kind::pause: hosts_[static_cast<std::size_t>(fault.host)].stands_until = now_ + fault.lasts; break;
    case FaultSpec::Kind::kill:
      kill_host(fault.host);
      connections_.take_sent(now_);
      break;
    case FaultSpec::Kind::crash:
      connections_.mute_host(fault.host);
      kill_host(fault.host);
      break;
    case FaultSpec::Kind::discard: connections_.mute(message.connection, message.direction); break;
  }
}

void TracedWorld::kill_host(int host) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = *processes_[i];
    if (process.host != host || process.dead) continue;
    kill(process.pid, SIGKILL);
    reap(process);
  }
  hosts_[static_cast<std::size_t>(host)].start = never;
}

/// Timers of programs: those that are descriptors, and those that are signals.
void TracedWorld::ring_due() {
  for (TimerDescriptor& timer : timers_) {
    if (timer.at > now_) continue;
    const std::uint64_t once = 1;
    if (write(timer.copy.get(), &once, sizeof once) < 0) throw Refusal{"a timer could not ring"};
    timer.at = timer.period > 0 ? timer.at + timer.period : never;
  }
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = *processes_[i];
    if (process.dead || process.alarm < 0 || process.alarm > now_) continue;
    if (hosts_[static_cast<std::size_t>(process.host)].stands_until > now_) continue;
    process.alarm = process.alarm_period > 0 ? now_ + process.alarm_period : -1;
    kill(process.pid, SIGALRM);
    wake_by_signals(process);
  }
}

void TracedWorld::wake_due() {
  for (const auto& thread : threads_)
    if (thread->waits() && thread->until >= 0 && thread->until <= now_) time_out(*thread);
}

void TracedWorld::time_out(Thread& thread) {
  switch (thread.state) {
    case Thread::State::sleeps: return finish(thread, 0);
    case Thread::State::waits_for_futex: return finish(thread, -ETIMEDOUT);
    case Thread::State::waits_for_signal: return finish(thread, -EAGAIN);
    case Thread::State::looks_again: return wake(thread, Thread::Resume::plainly);
    default: break;
  }
  constexpr std::array polling{SYS_poll,       SYS_ppoll,       SYS_select,      SYS_pselect6,
                               SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2};
  if (std::ranges::find(polling, thread.call) == polling.end()) return finish(thread, -EAGAIN);
  thread.timed_out = true;
  wake(thread, Thread::Resume::at_once);
}

void TracedWorld::wake_polled() {
  for (const auto& thread : threads_) {
    if (thread->state != Thread::State::waits_for_descriptor || thread->polled.empty()) continue;
    if (poll(thread->polled.data(), thread->polled.size(), 0) > 0) wake(*thread, Thread::Resume::served_again);
  }
}

bool TracedWorld::stands(const Thread& thread) const {
  return thread.process->is_stopped || hosts_[static_cast<std::size_t>(thread.process->host)].stands_until > now_;
}

/// The next one in a ring, so that none is kept from running.
Thread* TracedWorld::next_ready() {
  for (std::size_t i = 1; i <= threads_.size(); ++i) {
    const std::size_t at = (last_ + i) % threads_.size();
    if (threads_[at]->state != Thread::State::ready || stands(*threads_[at])) continue;
    last_ = at;
    return threads_[at].get();
  }
  return nullptr;
}

Nanos TracedWorld::next_instant() const {
  Nanos next = connections_.empty() ? never : connections_.first().at;
  for (const auto& thread : threads_) {
    if (thread->waits() && thread->until >= 0) next = std::min(next, thread->until);
    if (thread->state == Thread::State::ready && !thread->process->is_stopped)
      next = std::min(next, hosts_[static_cast<std::size_t>(thread->process->host)].stands_until);
  }
  for (const TimerDescriptor& timer : timers_) next = std::min(next, timer.at);
  for (const auto& process : processes_) {
    if (process->dead || process->alarm < 0) continue;
    next = std::min(next, std::max(process->alarm, hosts_[static_cast<std::size_t>(process->host)].stands_until));
  }
  for (const Host& host : hosts_) next = std::min(next, host.start);
  return next;
}

void TracedWorld::converse() {
  for (std::size_t i = 0; i < hosts_.size(); ++i) converse(i);
}

/// A line that a program has written is answered by the next line of its input.
void TracedWorld::converse(std::size_t index) {
  Host& host = hosts_[index];
  read_all(host.errors, host.complaints);
  const std::size_t before = host.printed.size();
  read_all(host.output, host.printed);
  host.unread_line.append(host.printed, before);
  for (std::size_t end = 0; (end = host.unread_line.find('\n')) != std::string::npos;) {
    log_.add(fmt::format("{} h{} writes {}", now_, index, host.unread_line.substr(0, end)));
    host.unread_line.erase(0, end + 1);
    const std::vector<std::string>& lines = spec_.hosts[index].input;
    if (host.lines_given >= lines.size()) {
      host.input.close();
      continue;
    }
    const std::string line = lines[host.lines_given++] + "\n";
    log_.add(fmt::format("{} h{} reads {}", now_, index, lines[host.lines_given - 1]));
    if (write(host.input.get(), line.data(), line.size()) < 0) host.input.close();
  }
}

}  // namespace lockproof::tracer
