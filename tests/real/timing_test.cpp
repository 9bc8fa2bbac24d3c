// SPDX-License-Identifier: Apache-2.0
// Scenario time, and the loop's order of things.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::tests::timing_test {
namespace {

TEST(WorldTime, RunsScaleTimesAsFastAsTheMachine) {
  const real::WorldTime time(1'000, 20);
  EXPECT_EQ(time.at(1'000), Duration(0));
  EXPECT_EQ(time.at(1'000'000 + 1'000), milliseconds(20));
  EXPECT_EQ(time.at(999), Duration(-1));
}

TEST(WorldTime, AnInstantIsReachedNoEarlierThanItsMachineInstant) {
  for (const std::int64_t speedup : {1, 3, 7, 20, 1000}) {
    const real::WorldTime time(12'345, speedup);
    for (std::int64_t us = 0; us < 50; ++us) {
      const std::int64_t ns = time.machine_at(Duration(us));
      EXPECT_GE(time.at(ns), Duration(us)) << speedup;
      EXPECT_LT(time.at(ns - 1), Duration(us)) << speedup;
    }
  }
}

TEST(EventLoop, ATimerNeverFiresEarly) {
  real::EventLoop loop;
  for (int i = 0; i < 50; ++i) {
    bool fired = false;
    real::EventLoop::Timer timer(loop, [&] { fired = true; });
    const std::int64_t due = real::machine_ns() + 150'000;
    timer.set(due);
    while (!fired) loop.turn();
    EXPECT_GE(real::machine_ns(), due);
  }
}

TEST(EventLoop, TimersRunInTheOrderOfTheirInstants) {
  real::EventLoop loop;
  std::string order;
  const std::int64_t now = real::machine_ns();
  real::EventLoop::Timer last(loop, [&] { order += 'c'; });
  real::EventLoop::Timer first(loop, [&] { order += 'a'; });
  real::EventLoop::Timer middle(loop, [&] { order += 'b'; });
  last.set(now + 30);
  first.set(now + 10);
  middle.set(now + 20);
  while (order.size() < 3) loop.turn();
  EXPECT_EQ(order, "abc");
}

TEST(EventLoop, WhatASocketHoldsIsReadBeforeATimerThatIsDue) {
  for (int i = 0; i < 20; ++i) {
    real::EventLoop loop;
    std::string order;
    real::EventLoop::Timer timer(loop, [&] { order += 't'; });
    timer.set(real::machine_ns());  // due before the pipe is even looked at
    real::Pipe pipe = real::make_pipe();
    real::write_all(pipe.write_end.get(), "x", 1);
    real::EventLoop::Watch watch(loop, pipe.read_end.get(), [&](real::EventLoop::Watch::Readiness) {
      order += 's';
      watch.want(false, false);
    });
    watch.want(true, false);
    while (order.size() < 2) loop.turn();
    EXPECT_EQ(order, "st");
  }
}

TEST(EventLoop, ACancelledTimerDoesNotRun) {
  real::EventLoop loop;
  bool wrong = false, done = false;
  real::EventLoop::Timer cancelled(loop, [&] { wrong = true; });
  real::EventLoop::Timer end(loop, [&] { done = true; });
  cancelled.set(real::machine_ns() + 1'000);
  end.set(real::machine_ns() + 2'000);
  cancelled.cancel();
  while (!done) loop.turn();
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace lockproof::tests::timing_test
