// SPDX-License-Identifier: Apache-2.0
// Futexes: the kernel's queues stay empty, the world's have everybody. Two threads mean the same one if they have the
// same address in the same process, or, where it is shared, in the same host.
#include <linux/futex.h>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

struct Futex {
  Address address;
  bool is_private;
};

bool waits_at(const Thread& other, const Thread& thread, const Futex& futex) {
  if (other.state != Thread::State::waits_for_futex || other.futex != futex.address) return false;
  if (other.process == thread.process) return true;
  return !futex.is_private && !other.futex_is_private && other.process->host == thread.process->host;
}

long wake_waiters(TracedWorld& world, const Thread& thread, const Futex& futex, int most) {
  long woken = 0;
  for (const auto& other : world.threads()) {
    if (woken >= most) break;
    if (!waits_at(*other, thread, futex)) continue;
    world.finish(*other, 0);
    ++woken;
  }
  return woken;
}

long move_waiters(TracedWorld& world, const Thread& thread, const Futex& from, Address to, int most) {
  long moved = 0;
  for (const auto& other : world.threads()) {
    if (moved >= most) break;
    if (!waits_at(*other, thread, from)) continue;
    other->futex = to;
    other->futex_value = read_value<int>(thread.tid, to);
    ++moved;
  }
  return moved;
}

/// FUTEX_WAKE_OP: changes the second futex, and says whether its waiters wake, too.
bool change_second(Thread& thread, Address at, std::uint32_t code) {
  const auto signed12 = [](std::uint32_t bits) { return static_cast<int>(bits << 20) >> 20; };
  int operand = signed12(code >> 12 & 0xfff);
  const int compared = signed12(code & 0xfff);
  if ((code >> 28 & FUTEX_OP_OPARG_SHIFT) != 0) operand = 1 << (operand & 31);
  const int old = read_value<int>(thread.tid, at);
  int changed = operand;
  switch (code >> 28 & 7) {
    case FUTEX_OP_ADD: changed = old + operand; break;
    case FUTEX_OP_OR: changed = old | operand; break;
    case FUTEX_OP_ANDN: changed = old & ~operand; break;
    case FUTEX_OP_XOR: changed = old ^ operand; break;
    default: break;
  }
  write_value(thread.tid, at, changed);
  switch (code >> 24 & 15) {
    case FUTEX_OP_CMP_EQ: return old == compared;
    case FUTEX_OP_CMP_NE: return old != compared;
    case FUTEX_OP_CMP_LT: return old < compared;
    case FUTEX_OP_CMP_LE: return old <= compared;
    case FUTEX_OP_CMP_GT: return old > compared;
    default: return old >= compared;
  }
}

Outcome wait_at(TracedWorld& world, Thread& thread, const Futex& futex, bool is_absolute, int clock) {
  const Registers& registers = thread.registers;
  const int value = read_value<int>(thread.tid, futex.address);
  if (value != static_cast<int>(registers.argument(2))) return answer(thread, -EAGAIN);
  const Nanos time = read_timespec(thread.tid, registers.argument(3));
  thread.futex = futex.address;
  thread.futex_value = value;
  thread.futex_is_private = futex.is_private;
  Nanos until = -1;
  if (time >= 0) until = is_absolute ? std::max<Nanos>(0, time - origin_of_clock(clock)) : world.now() + time;
  return world.wait(thread, Thread::State::waits_for_futex, until);
}

}  // namespace

Outcome serve_futex(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  const auto operation = static_cast<int>(registers.argument(1));
  const auto count = static_cast<int>(registers.argument(2)), count2 = static_cast<int>(registers.argument(3));
  const Futex futex{registers.argument(0), (operation & FUTEX_PRIVATE_FLAG) != 0};
  const Address second_at = registers.argument(4);
  const int clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: return wait_at(world, thread, futex, false, clock);
    case FUTEX_WAIT_BITSET: return wait_at(world, thread, futex, true, clock);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: return answer(thread, wake_waiters(world, thread, futex, count));
    case FUTEX_WAKE_OP: {
      const bool both = change_second(thread, second_at, static_cast<std::uint32_t>(registers.argument(5)));
      long woken = wake_waiters(world, thread, futex, count);
      if (both) woken += wake_waiters(world, thread, {second_at, futex.is_private}, count2);
      return answer(thread, woken);
    }
    case FUTEX_CMP_REQUEUE:
      if (read_value<int>(thread.tid, futex.address) != static_cast<int>(registers.argument(5)))
        return answer(thread, -EAGAIN);
      [[fallthrough]];
    case FUTEX_REQUEUE: {
      const long woken = wake_waiters(world, thread, futex, count);
      return answer(thread, woken + move_waiters(world, thread, futex, second_at, count2));
    }
    default: return answer(thread, -ENOSYS);  // with inheritance of priorities, which programs do without
  }
}

}  // namespace lockproof::tracer
