// SPDX-License-Identifier: Apache-2.0
// Walk: one schedule of a scenario, followed by its choices, with monitors that judge each event.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/check/monitor.hpp"
#include "search/core/test_coverage.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

/// The violations and contention that some events have shown.
struct PathCoverage : TestCoverage {
  std::vector<std::pair<std::string, std::string>> broken;  // property and kind

  /// Adds the rest, without the violations.
  void see(const World& world, const harness::Event& event);
};

class Walk final : public PinnedObject {
 public:
  /// REQUIRES: all arguments outlive the walk. The world is made at once: its construction is the first step.
  /// `keeps`: the events of all steps.
  Walk(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, Chooser& chooser,
       bool keeps = false);

  /// Runs one event. False: the schedule has ended.
  bool step();
  /// About the latest step.
  [[nodiscard]] const PathCoverage& shown() const { return shown_; }
  /// Those that are kept, and where those of the latest step begin.
  [[nodiscard]] const std::vector<harness::Event>& events() const { return events_; }
  [[nodiscard]] std::size_t latest_event() const { return latest_event_; }
  /// The encodings of the world and the monitors.
  [[nodiscard]] std::string encoding(ClockDetail detail) const;
  [[nodiscard]] World& world() { return world_; }

 private:
  void look();

  World world_;
  std::vector<std::unique_ptr<check::Monitor>> monitors_;
  PathCoverage shown_;
  const bool keeps_;
  std::vector<harness::Event> events_;
  std::size_t latest_event_ = 0;
};

}  // namespace lockproof::sim
