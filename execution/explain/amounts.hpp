// SPDX-License-Identifier: Apache-2.0
// Amounts: the durations, offsets and rates of a scenario over which a verdict can be asked about, each by its key.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::execution {

/// Its values are whole numbers of steps; a sign is that which the scenario has.
struct Amount {
  std::string key;   // "lease", "hold", "fault-1.for", "client-2.clock"
  std::string what;  // "the lease", "'for' of the pause of client-1"
  std::int64_t now = 0, least = 1, most = 0;
  std::function<void(harness::Scenario&, std::int64_t steps)> set;
  std::function<std::string(std::int64_t steps)> text;
};

/// In the order in which a person would ask.
[[nodiscard]] std::vector<Amount> amounts_of(const harness::Scenario& scenario);
/// By its key; "for" stands for "fault-2.for" where no other fault has one. Throws InputError, with the nearest key.
[[nodiscard]] Amount amount_of(const harness::Scenario& scenario, const std::string& key);

}  // namespace lockproof::execution
