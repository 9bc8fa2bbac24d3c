// SPDX-License-Identifier: Apache-2.0
// Where a program in virtual time finds the simulated servers and sentinels.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

inline constexpr const char* simulated_host = "127.0.0.1";
inline constexpr std::size_t first_server_port = 6379, first_sentinel_port = 26379;

/// What each sentinel process watches: the place of its [[sentinel]] in the scenario.
[[nodiscard]] inline std::vector<std::size_t> watches_of_sentinels(const Scenario& scenario) {
  std::vector<std::size_t> watches;
  for (std::size_t i = 0; i < scenario.sentinels.size(); ++i) {
    watches.insert(watches.end(), static_cast<std::size_t>(scenario.sentinels[i].count), i);
  }
  return watches;
}

}  // namespace lockproof::harness
