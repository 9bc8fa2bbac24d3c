// SPDX-License-Identifier: Apache-2.0
// Properties of one lock, judged for each of several by its name, and what concerns several together.
#pragma once

#include <memory>

#include "harness/check/monitor.hpp"

namespace lockproof::check {

/// The monitor of a property of one lock, or one for each lock of the scenario.
[[nodiscard]] std::unique_ptr<Monitor> watch_each_lock(const harness::Header& header, const harness::Scenario& scenario,
                                                       MakeMonitor make);
/// A kind of violation of deadlock-freedom, of scenarios with several locks that bound it.
[[nodiscard]] std::unique_ptr<Monitor> watch_circular_wait(const harness::Header& header,
                                                           const harness::Scenario& scenario);
template <class Watched>
[[nodiscard]] std::unique_ptr<Monitor> watch_each_lock(const harness::Header& header,
                                                       const harness::Scenario& scenario) {
  return watch_each_lock(header, scenario, [](const harness::Header& of, const harness::Scenario& one) {
    return std::unique_ptr<Monitor>(std::make_unique<Watched>(of, one));
  });
}

}  // namespace lockproof::check
