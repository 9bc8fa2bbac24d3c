// SPDX-License-Identifier: Apache-2.0
#include "harness/check/monitor.hpp"

namespace lockproof::check {

std::vector<std::unique_ptr<Monitor>> monitors(const harness::Header& header, const harness::Scenario& scenario) {
  std::vector<std::unique_ptr<Monitor>> all;
  for (const Property& property : properties_of(scenario)) {
    const bool judged = property.watch && is_judged(property, scenario);
    all.push_back(judged ? property.watch(header, scenario) : nullptr);
  }
  return all;
}

Finding judge_with(MakeMonitor make, const harness::History& history, const harness::Scenario& scenario) {
  const std::unique_ptr<Monitor> monitor = make(history.header, scenario);
  for (std::size_t i = 0; i < history.events.size(); ++i) monitor->see(i, history.events[i]);
  return monitor->finding();
}

}  // namespace lockproof::check
