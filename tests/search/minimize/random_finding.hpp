// SPDX-License-Identifier: Apache-2.0
// A random finding: what a fuzzing run from a shared budget comes home with, in which most faults have nothing to do
// with it.
#pragma once

#include <optional>

#include "search/core/walk.hpp"
#include "search/minimize/trials.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests {

/// Draws everything evenly; at each place where a fault can strike, one does so once in a while.
class FuzzingChooser final : public sim::Chooser {
 public:
  explicit FuzzingChooser(std::uint64_t seed) : draws_(seed), strikes_(seed + 1) {}
  std::size_t first_of(std::size_t count, const sim::NameOf& name) override { return draws_.first_of(count, name); }
  Duration duration(const harness::Window& window, Duration grid, const sim::NameOf& name) override {
    return draws_.duration(window, grid, name);
  }
  std::size_t strike(std::size_t count) override {
    return strikes_.below(seldom) == 0 ? 1 + static_cast<std::size_t>(strikes_.below(count)) : 0;
  }

 private:
  static constexpr std::uint64_t seldom = 6;  // places
  sim::RandomChooser draws_;
  sim::RandomBits strikes_;
};

/// The first of `seeds` runs that breaks the property in this way, with as many faults as the budget allows, as a
/// scenario with its faults and steps. `bounded`: see sim::bounded.
inline std::optional<harness::Scenario> random_finding(const harness::Scenario& bounded, const harness::Bounds& budget,
                                                       const sim::ViolationKind& way, std::uint64_t first,
                                                       std::uint64_t seeds) {
  sim::ModelFactory models;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    FuzzingChooser fuzzing(seed);
    sim::RecordingChooser recording(fuzzing);
    sim::Walk walk(bounded, budget, models, recording);
    bool broken = false;
    while (!broken && walk.step() && walk.world().now() < seconds(600)) {
      broken = std::ranges::find(walk.shown().broken, way) != walk.shown().broken.end();
    }
    if (!broken || static_cast<int>(walk.world().faults().size()) < budget.max_faults) continue;
    harness::Scenario finding = bounded;
    finding.explore.reset();
    finding.expect = {};
    finding.faults.assign(walk.world().faults().begin(), walk.world().faults().end());
    finding.steps = recording.steps();
    finding.horizon = walk.world().now() + seconds(60) + finding.progress.value_or(Duration{});
    if (sim::as_counterexample(finding, way)) return finding;
  }
  return std::nullopt;
}

}  // namespace lockproof::tests
