// SPDX-License-Identifier: Apache-2.0
// Random search: many runs of one scenario, each with another seed, so that latencies, jitter and the order of what
// happens at one instant vary within the scenario's windows. It finds violations; it shows nothing by not finding any
// but a bound on how often they come under this sampler.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/check/properties.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

struct Tally {
  std::uint64_t runs = 0;        // in which the property was violated
  std::uint64_t first_seed = 0;  // the least seed of these
  check::Finding finding;        // of that run
};

struct SearchResult {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::map<std::string, Tally, std::less<>> violated;  // by property
  std::map<std::string, Tally, std::less<>> unknown;
};

/// Runs with the seeds `first`, `first` + 1, … on `workers` threads. The result depends on the seeds only, not on the
/// number of workers. `progress` (may be empty) is told how many runs are done, from one thread; it answers whether to
/// go on.
[[nodiscard]] SearchResult random_search(const harness::Scenario& scenario, std::uint64_t first, std::uint64_t runs,
                                         unsigned workers, const std::function<bool(std::uint64_t done)>& progress);

}  // namespace lockproof::sim
