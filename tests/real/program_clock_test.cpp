// SPDX-License-Identifier: Apache-2.0
// The clocks of programs that live faster than the machine, and runs of such programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "harness/check/properties.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/program/program_clock.hpp"
#include "tests/real/clocked.hpp"
#include "tests/real/programs.hpp"

namespace lockproof::tests::program_clock_test {
namespace {

constexpr std::int64_t twentyfold = 20;

/// Runs a line of Python, which waits for 4 s by its own clocks, and prints how long that took by them, and by the
/// kernel, which is not asked through libc.
void expect_four_seconds(const std::string& waits) {
  const std::string around =
      "/usr/bin/python3 -c 'import time, threading, asyncio, queue, select, socket, subprocess\n"
      "def machine(): return float(open(\"/proc/uptime\").read().split()[0])\n"
      "day, up, begun = time.time(), time.monotonic(), machine()\n" +
      waits + "\nprint(time.time() - day, time.monotonic() - up, machine() - begun)'";
  const real::ProgramClock clock(twentyfold);
  const std::string text = clocked::printed(clock, around);
  double day = 0, up = 0, machine = 0;
  ASSERT_EQ(std::sscanf(text.c_str(), "%lf %lf %lf", &day, &up, &machine), 3) << waits << ": " << text;
  EXPECT_GE(day, 4) << waits;
  EXPECT_GE(up, 4) << waits;
  EXPECT_LT(machine, 3.9) << waits;  // 0.2 s, and what a busy machine adds
  EXPECT_TRUE(clock.is_used());
}

TEST(ProgramClock, PythonWaitsAsMuchShorter) {
  expect_four_seconds("time.sleep(4)");
  expect_four_seconds("threading.Event().wait(4)");
  expect_four_seconds("lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=4)");
  expect_four_seconds("done = threading.Event(); threading.Timer(4, done.set).start(); done.wait()");
  expect_four_seconds("asyncio.run(asyncio.sleep(4))");
  expect_four_seconds("a, b = socket.socketpair(); select.select([a], [], [], 4)");
  expect_four_seconds("a, b = socket.socketpair(); poll = select.poll(); poll.register(a, 1); poll.poll(4000)");
}

TEST(ProgramClock, WhatAProgramStartsLivesByItToo) { expect_four_seconds("subprocess.run([\"sleep\", \"4\"])"); }

TEST(ProgramClock, NobodyUsesIt) {
  const real::ProgramClock clock(twentyfold);
  EXPECT_EQ(clocked::printed(clock, "env -u LD_PRELOAD /usr/bin/python3 -c 'print(1)'"), "1\n");
  EXPECT_FALSE(clock.is_used());
}

/// A lease of three seconds by the machine.
harness::Scenario scaled(const std::string& program, const std::string& more = "") {
  return programs::scenario(program, more, "clock = \"scaled\"\n", "60s");
}

TEST(ProgramClock, AScaledLockIsFoundGood) {
  const harness::Scenario s = scaled(programs::lock());
  EXPECT_EQ(s.speedup, 20);
  const std::int64_t before = real::machine_ns();
  const harness::History history = real::run(s, {});
  EXPECT_LT(real::machine_ns() - before, 60'000'000'000);  // the work of both takes 72 s of the scenario
  for (const check::Finding& finding : check::judge(history, s)) {
    EXPECT_NE(finding.verdict, check::Verdict::violated) << finding.property << ": " << finding.what;
  }
}

/// It goes by its wall clock, and leaves when that says that the lease is over.
const char* const by_wall_clock = R"PY(
    if do == "acquire":
        while ask("SET", "lock", me, "NX", "PX", lease) != b"+OK": time.sleep(lease / 6000)
        ends = time.time() + lease / 1000; say("acquired"); continue
    if do == "touch": say("touch" if time.time() < ends else "lost"); continue
)PY";

TEST(ProgramClock, AJumpOfItsWallClockIsSeenByTheProgram) {
  const std::string jump =
      "[[fault]]\nkind = \"clock-jump\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nby = \"100s\"\n";
  const harness::Scenario s = scaled(programs::lock(by_wall_clock), jump);
  const harness::History history = real::run(s, {});
  const auto lost = [](const harness::Event& e) { return e.what == harness::What::lost && e.host == 0; };
  EXPECT_TRUE(std::ranges::any_of(history.events, lost));
  const harness::History calm = real::run(scaled(programs::lock(by_wall_clock)), {});
  EXPECT_FALSE(std::ranges::any_of(calm.events, lost));
}

TEST(ProgramClock, AProgramThatTakesItsTimeElsewhereIsRefused) {
  harness::Scenario s = scaled(programs::lock());
  s.program->command.insert(s.program->command.begin(), {"/usr/bin/env", "-u", "LD_PRELOAD"});
  try {
    static_cast<void>(real::run(s, {}));
    FAIL() << "it ran";
  } catch (const real::UnsupportedFeature& e) {
    EXPECT_NE(std::string(e.what()).find("does not take its time from libc"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace lockproof::tests::program_clock_test
