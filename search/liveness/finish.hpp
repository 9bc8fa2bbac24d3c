// SPDX-License-Identifier: Apache-2.0
// Finish: heal, then finish. Where the state graph is too large to look for lassos, schedules are drawn at random; in
// each the faults end, and from then on every client that wants the lock must get it within a bound. This finds
// liveness violations only up to the bound, and an empty result proves nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/check/properties.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::sim {

struct Finish {
  struct StandstillRuns {
    std::string kind;        // a kind of deadlock-freedom or starvation; "stuck" if the run has none
    std::uint64_t runs = 0;  // that ended so
    check::Finding finding;  // of the first such run
    harness::Scenario scenario;
  };
  std::uint64_t runs = 0;             // made
  Duration within{};                  // counted from the end of the last fault
  std::vector<StandstillRuns> stuck;  // one for each kind
};

struct FinishOrder {
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
  unsigned workers = 1;
  std::function<bool(std::uint64_t done)> go_on{};  // called from time to time, from one thread
  std::stop_token stop{};                           // checked all the time
};

/// `endless`: a scenario without time limits for clients, see endless.hpp. `horizon`: the written scenario's horizon.
[[nodiscard]] Finish heal_then_finish(const harness::Scenario& endless, const harness::Bounds& budget, Duration horizon,
                                      const FinishOrder& order);

}  // namespace lockproof::sim
