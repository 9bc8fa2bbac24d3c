// SPDX-License-Identifier: Apache-2.0
// What a program learns of the machine: random numbers, processors, memory, and the time that it has used.
#include <linux/sysinfo.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {

Outcome serve_getrandom(TracedWorld& world, Thread& thread) {
  constexpr std::uint64_t most = 65'536;
  const std::uint64_t count = std::min(thread.registers.argument(1), most);
  std::string bytes;
  for (std::uint64_t i = 0; i < count; ++i) bytes += static_cast<char>(world.draw() >> 11);
  write_bytes(thread.tid, thread.registers.argument(0), bytes.data(), bytes.size());
  return answer(thread, static_cast<long>(count));
}

Outcome serve_sched_getaffinity(TracedWorld&, Thread& thread) {
  const std::uint64_t first = 1;
  if (thread.registers.argument(1) < sizeof first) return answer(thread, -EINVAL);
  write_value(thread.tid, thread.registers.argument(2), first);
  return answer(thread, sizeof first);
}

Outcome serve_getcpu(TracedWorld&, Thread& thread) {
  write_value(thread.tid, thread.registers.argument(0), 0);
  write_value(thread.tid, thread.registers.argument(1), 0);
  return answer(thread, 0);
}

Outcome serve_sysinfo(TracedWorld& world, Thread& thread) {
  struct sysinfo info {};
  info.uptime = (world.now() + uptime) / second;
  info.totalram = 8UL << 30;
  info.freeram = 4UL << 30;
  info.procs = 10;
  info.mem_unit = 1;
  write_value(thread.tid, thread.registers.argument(0), info);
  return answer(thread, 0);
}

Outcome serve_getrusage(TracedWorld& world, Thread& thread) {
  rusage usage{};
  usage.ru_utime = {world.now() / second, world.now() % second / microsecond};
  usage.ru_maxrss = 8'000;
  write_value(thread.tid, thread.registers.argument(1), usage);
  return answer(thread, 0);
}

Outcome serve_prctl(TracedWorld&, Thread& thread) {
  return thread.registers.argument(0) == PR_SET_TSC ? answer(thread, 0) : Outcome::passes;
}

Outcome serve_as_done(TracedWorld&, Thread& thread) { return answer(thread, 0); }

}  // namespace lockproof::tracer
