// SPDX-License-Identifier: Apache-2.0
// Timers: those that send SIGALRM, and timerfds, which are eventfds that the world writes.
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

timeval timeval_of(Nanos time) { return {time / second, time % second / microsecond}; }

itimerval alarm_of(const TracedWorld& world, const Process& process) {
  itimerval value{timeval_of(process.alarm_period), {}};
  if (process.alarm >= 0) value.it_value = timeval_of(std::max(microsecond, process.alarm - world.now()));
  return value;
}

/// The descriptor of a timer, as the world has a copy of it.
bool is_same_file(const real::Descriptor& one, const real::Descriptor& other) {
  constexpr int compares_files = 0;  // KCMP_FILE
  return syscall(SYS_kcmp, getpid(), getpid(), compares_files, one.get(), other.get()) == 0;
}

}  // namespace

Outcome serve_setitimer(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  if (registers.argument(0) != ITIMER_REAL) return answer(thread, -EINVAL);  // of processor time
  Process& process = *thread.process;
  const auto asked = read_value<itimerval>(thread.tid, registers.argument(1));
  write_value(thread.tid, registers.argument(2), alarm_of(world, process));
  const Nanos lasts = asked.it_value.tv_sec * second + asked.it_value.tv_usec * microsecond;
  process.alarm_period = asked.it_interval.tv_sec * second + asked.it_interval.tv_usec * microsecond;
  process.alarm = lasts > 0 ? world.now() + lasts : -1;
  return answer(thread, 0);
}

Outcome serve_getitimer(TracedWorld& world, Thread& thread) {
  if (thread.registers.argument(0) != ITIMER_REAL) return answer(thread, -EINVAL);
  write_value(thread.tid, thread.registers.argument(1), alarm_of(world, *thread.process));
  return answer(thread, 0);
}

Outcome serve_alarm(TracedWorld& world, Thread& thread) {
  Process& process = *thread.process;
  const Nanos left = process.alarm >= 0 ? (process.alarm - world.now() + second - 1) / second : 0;
  const auto seconds = static_cast<Nanos>(thread.registers.argument(0));
  process.alarm_period = 0;
  process.alarm = seconds > 0 ? world.now() + seconds * second : -1;
  return answer(thread, left);
}

Outcome serve_timerfd_create(TracedWorld& world, Thread& thread) {
  ChangedCall changed(thread);
  changed.set_number(SYS_eventfd2);
  changed.set(0, 0);
  return changed.make(world) ? Outcome::decided : Outcome::ended;
}

Outcome serve_timerfd_settime(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  real::Descriptor copy = copy_descriptor(*thread.process, static_cast<int>(registers.argument(0)));
  if (!copy.open()) return answer(thread, -EBADF);
  const auto asked = read_value<itimerspec>(thread.tid, registers.argument(2));
  std::erase_if(world.timer_descriptors(), [&](const TimerDescriptor& timer) {
    return timer.process == thread.process && is_same_file(timer.copy, copy);
  });
  std::uint64_t rung = 0;  // what it has counted is forgotten
  if (poll(std::array{pollfd{copy.get(), POLLIN, 0}}.data(), 1, 0) > 0 && read(copy.get(), &rung, sizeof rung) < 0)
    return answer(thread, -EBADF);
  const Nanos time = asked.it_value.tv_sec * second + asked.it_value.tv_nsec;
  if (time == 0) return answer(thread, 0);
  const bool is_absolute = (registers.argument(1) & TFD_TIMER_ABSTIME) != 0;
  const Nanos origin = time > epoch / 2 ? epoch : uptime;  // which clock it is was said when it was made
  world.timer_descriptors().push_back({std::move(copy), thread.process,
                                       is_absolute ? std::max<Nanos>(0, time - origin) : world.now() + time,
                                       asked.it_interval.tv_sec * second + asked.it_interval.tv_nsec});
  return answer(thread, 0);
}

Outcome serve_timerfd_gettime(TracedWorld& world, Thread& thread) {
  const real::Descriptor copy = copy_descriptor(*thread.process, static_cast<int>(thread.registers.argument(0)));
  if (!copy.open()) return answer(thread, -EBADF);
  itimerspec value{};
  for (const TimerDescriptor& timer : world.timer_descriptors()) {
    if (timer.process != thread.process || timer.at == never || !is_same_file(timer.copy, copy)) continue;
    const Nanos left = std::max<Nanos>(1, timer.at - world.now());
    value = {{timer.period / second, timer.period % second}, {left / second, left % second}};
  }
  write_value(thread.tid, thread.registers.argument(1), value);
  return answer(thread, 0);
}

}  // namespace lockproof::tracer
