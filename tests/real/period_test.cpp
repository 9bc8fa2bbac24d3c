// SPDX-License-Identifier: Apache-2.0
// Clients that work once in each period, by the wall clocks of real processes.
#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::period_test {
namespace {

using harness::FaultKind;
using harness::What;

/// One client, one period, and a jump of its clock two seconds after the start.
harness::History with_jump(Duration period, Duration by) {
  harness::Scenario scenario = scenario_with("set-px-token", 1);
  scenario.period = scenario.clients[0].plan.period = period;
  harness::Fault jump{.kind = FaultKind::clock_jump, .target = "client-1"};
  jump.at = seconds(2);
  jump.by = by;
  scenario.faults.push_back(jump);
  return real::run(scenario, {});
}

double start_of(const harness::History& history) {
  const auto starts = events_of(history, What::start, "client-1");
  EXPECT_EQ(starts.size(), 1u);
  return starts.empty() ? 0 : static_cast<double>(starts.front().at.count()) / 1e6;
}

TEST(Period, AJumpOfItsClockBeginsItSoonerOrLater) {
  EXPECT_NEAR(start_of(with_jump(seconds(20), seconds(5))), 15, 1);
  EXPECT_NEAR(start_of(with_jump(seconds(4), seconds(-5))), 9, 1);
}

TEST(Period, ThatAJumpHasPassedBeginsAtOnceAndIsNoTimerThatCameLate) {
  const harness::History history = with_jump(seconds(20), seconds(200));
  EXPECT_NEAR(start_of(history), 2, 1);
  EXPECT_LT(history.header.late_us, 1'000'000);
}

}  // namespace
}  // namespace lockproof::tests::period_test
