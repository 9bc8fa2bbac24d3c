// SPDX-License-Identifier: Apache-2.0
#include "cli/auto_strategy.hpp"

#include <fmt/format.h>

#include "sim/explore/interned_engine.hpp"
#include "sim/explore/replay_engine.hpp"

namespace lockproof::cli {
namespace {

// What each engine searches in a few seconds; the interned one has a hundred times the rate.
constexpr std::uint64_t interned_most = 1'000'000, replay_most = 30'000;

/// "1 000 000", "12 789"
std::string spaced(std::uint64_t n) {
  if (n >= 1'000'000) return fmt::format("{} {:03} {:03}", n / 1'000'000, n / 1000 % 1000, n % 1000);
  return n >= 1000 ? fmt::format("{} {:03}", n / 1000, n % 1000) : std::to_string(n);
}

std::string size_text(const sim::Exploration& found) {
  if (!found.probed || found.probed->met == 0) return "";
  if (found.probed->visited == 0) return "; random schedules met none of them, so it is far from done";
  const std::uint64_t all = found.states * found.probed->met / found.probed->visited;
  return fmt::format("; of the states that random schedules meet it had visited {} %, so there may be {}",
                     found.probed->visited * 100 / found.probed->met,
                     all >= 10'000'000 ? fmt::format("{} million", all / 1'000'000) : spaced(all / 1000 * 1000));
}

}  // namespace

Choice choose(const HuntOptions& options) {
  const harness::Bounds bounds = options.bounds.value_or(harness::Bounds{});
  const harness::Scenario scenario = sim::bounded(options.scenario, bounds, options.alone);
  const bool interned = sim::interned_engine_refuses(scenario, bounds).empty();
  const std::uint64_t most = interned ? interned_most : replay_most;
  sim::Limits limits;
  limits.workers = options.order.workers;
  limits.go_on = [&](const sim::Progress& progress) { return progress.states < most; };
  const auto search = interned ? sim::explore_interned : sim::explore_by_replay;
  const sim::Exploration found = search(scenario, bounds, limits);
  if (found.complete) {
    return {true, fmt::format("auto explores: the whole space is {} states", spaced(found.states))};
  }
  return {false, fmt::format("auto hunts, with {}: the space is more than the {} states that it tries{}{}",
                             name(options.order.strategy), spaced(most),
                             interned ? "" : " with the slow engine, which this scenario needs", size_text(found))};
}

}  // namespace lockproof::cli
