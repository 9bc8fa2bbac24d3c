// SPDX-License-Identifier: Apache-2.0
// What sweeps of some kinds of faults say together.
#include "execution/tasks/merged_sweep.hpp"

#include <gtest/gtest.h>

#include "harness/input_error.hpp"

namespace lockproof::execution::merged_sweep_test {
namespace {

using harness::SweptReport;
using Strike = SweptReport::Strike;

Strike strike(const std::string& fault, const std::string& event, int runs, int found) {
  Strike one;
  one.fault = fault;
  one.place = one.event = event;
  one.runs = one.struck = runs;
  if (found > 0) {
    one.found[{"owner-release", ""}] = found;
    one.sentences[{"owner-release", ""}] = "it deleted another's";
  }
  return one;
}

SweptReport part(const std::string& kind, std::vector<std::string> events, std::vector<std::string> not_in_every) {
  SweptReport one;
  one.key = {.source = harness::KeySource::written, .name = "lock", .candidates = {}, .reasons = {}};
  one.references = 5;
  one.kinds = {kind};
  one.strikes = {strike("", "", 5, 1)};
  for (const std::string& event : events) one.strikes.push_back(strike(kind, event, 2, kind == "pause" ? 2 : 0));
  one.events = std::move(events);
  one.not_in_every = std::move(not_in_every);
  one.runs = 7;
  group(one);
  return one;
}

TEST(MergedSweep, HasTheStrikesOfAllItsParts) {
  const SweptReport whole = merged_sweep({part("pause", {"a", "b"}, {"c"}), part("crash", {"a", "c"}, {"d"})});
  EXPECT_EQ(whole.kinds, (std::vector<std::string>{"pause", "crash"}));
  EXPECT_EQ(whole.events, (std::vector<std::string>{"a", "b", "c"})) << "something was struck at each";
  EXPECT_EQ(whole.not_in_every, (std::vector<std::string>{"d"}));
  EXPECT_EQ(whole.references, 10);
  EXPECT_EQ(whole.runs, 14u);
  ASSERT_EQ(whole.strikes.size(), 5u);
  EXPECT_EQ(whole.strikes.front().runs, 10) << "the runs without faults are one strike";
  EXPECT_EQ((whole.strikes.front().found.at({"owner-release", ""})), 2);
  ASSERT_EQ(whole.groups.size(), 3u) << "without a fault, and by a pause at two places";
  EXPECT_EQ(whole.groups.front().runs, 10);
}

TEST(MergedSweep, RefusesPartsThatJudgedDifferentKeys) {
  SweptReport other = part("crash", {"a"}, {});
  other.key.name = "heartbeat";
  EXPECT_THROW(static_cast<void>(merged_sweep({part("pause", {"a"}, {}), other})), harness::InputError);
}

}  // namespace
}  // namespace lockproof::execution::merged_sweep_test
