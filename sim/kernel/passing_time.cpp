// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/passing_time.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "harness/input_error.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::sim {
namespace {

/// A circle of events is shorter than this, so all rules that keep it going are seen.
constexpr std::uint64_t looked_at = 1'000;

const std::string& file_of(const harness::Scenario& scenario) {
  return scenario.called.empty() ? scenario.file : scenario.called;
}

}  // namespace

bool PassingTime::count(const harness::Scenario& scenario, Duration now, bool is_recorded) {
  if (now != at_) {
    at_ = now;
    here_ = 0;
    rules_.clear();
  }
  if (++here_ > at_one_instant_most) {
    const std::string whose = rules_.empty() ? "nothing in it takes time"
                                             : fmt::format("none of these takes time: {}", fmt::join(rules_, ", "));
    throw harness::InputError(file_of(scenario), 0,
                              fmt::format("time stands still: {} events at the instant {}, and no end of them; {}",
                                          at_one_instant_most, harness::to_text(now), whose));
  }
  if (is_recorded && ++recorded_ > recorded_most) {
    throw harness::InputError(file_of(scenario), 0,
                              fmt::format("a run has at most {} events, and this one has had them after {}: a shorter "
                                          "horizon in [run], or longer waits, make it one that can be judged",
                                          recorded_most, harness::to_text(now)));
  }
  return here_ > at_one_instant_most - looked_at;
}

void PassingTime::blame(std::string_view rule) {
  if (!rule.empty() && std::ranges::find(rules_, rule) == rules_.end()) rules_.push_back(rule);
}

void refuse_standing_time(const harness::Scenario& scenario) {
  throw harness::InputError(
      file_of(scenario), 0,
      fmt::format("time stands still: {} events one after the other at one instant, and no end of them; lockproof run "
                  "names what takes no time",
                  ahead_at_one_instant_most));
}

}  // namespace lockproof::sim
