// SPDX-License-Identifier: Apache-2.0
// memcached's verbs as the model runs them: one command on the items, at one instant.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "sim/services/memcached/items.hpp"
#include "sim/services/memcached/ticks.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::memcached {

/// The items that a command runs on, and the instant.
struct Scene {
  Items& items;
  const Ticks& ticks;
  std::int64_t started_s;  // by the wall clock, see Node
  std::int64_t mono_us;
  std::vector<harness::Effect>& effects;

  [[nodiscard]] std::int64_t tick() const { return ticks.at(mono_us); }
  /// The item; null: there is none, or it had expired and is removed now.
  [[nodiscard]] Item* find(const std::string& key) const;
};

/// All verbs that the model knows; to others it answers ERROR.
inline constexpr std::array<std::string_view, 8> verbs{"add",  "cas",  "delete", "flush_all",
                                                       "gets", "incr", "set",    "touch"};

/// A larger time to live is a date.
inline constexpr std::int64_t longest_ttl_s = 30 * 86'400;

/// Executed::lacks of a command; empty: nothing.
[[nodiscard]] std::string describe_lack(const Command& command);
[[nodiscard]] Reply run(const Scene& scene, const Command& command);

}  // namespace lockproof::sim::memcached
