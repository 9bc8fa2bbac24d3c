// SPDX-License-Identifier: Apache-2.0
// Clocks, and waits for a time.
#include <sys/time.h>

#include <algorithm>
#include <ctime>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {

Nanos origin_of_clock(int clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return epoch;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return uptime;
    default: return 0;  // processor time: all the time is
  }
}

Outcome serve_clock_gettime(TracedWorld& world, Thread& thread) {
  const Nanos time = world.now() + origin_of_clock(static_cast<int>(thread.registers.argument(0)));
  write_value(thread.tid, thread.registers.argument(1), timespec{time / second, time % second});
  return answer(thread, 0);
}

Outcome serve_gettimeofday(TracedWorld& world, Thread& thread) {
  const Nanos time = world.now() + epoch;
  write_value(thread.tid, thread.registers.argument(0), timeval{time / second, time % second / microsecond});
  return answer(thread, 0);
}

Outcome serve_time(TracedWorld& world, Thread& thread) {
  const Nanos seconds = (world.now() + epoch) / second;
  write_value(thread.tid, thread.registers.argument(0), seconds);
  return answer(thread, seconds);
}

Outcome serve_times(TracedWorld& world, Thread& thread) {
  constexpr Nanos tick = second / 100;
  const long ticks = world.now() / tick;
  write_value(thread.tid, thread.registers.argument(0), std::array<long, 4>{ticks, 0, 0, 0});
  return answer(thread, ticks + uptime / tick);
}

Outcome serve_nanosleep(TracedWorld& world, Thread& thread) {
  const Nanos lasts = std::max<Nanos>(0, read_timespec(thread.tid, thread.registers.argument(0)));
  return world.wait(thread, Thread::State::sleeps, world.now() + lasts);
}

Outcome serve_clock_nanosleep(TracedWorld& world, Thread& thread) {
  const Nanos time = std::max<Nanos>(0, read_timespec(thread.tid, thread.registers.argument(2)));
  const bool is_absolute = (thread.registers.argument(1) & TIMER_ABSTIME) != 0;
  const Nanos origin = origin_of_clock(static_cast<int>(thread.registers.argument(0)));
  return world.wait(thread, Thread::State::sleeps,
                    is_absolute ? std::max<Nanos>(0, time - origin) : world.now() + time);
}

/// Whoever yields in a loop waits for another thread, or for a time.
Outcome serve_sched_yield(TracedWorld& world, Thread& thread) {
  world.pass_time(microsecond);
  answer(thread, 0);
  world.wake(thread, Thread::Resume::plainly);
  return Outcome::waits;
}

}  // namespace lockproof::tracer
