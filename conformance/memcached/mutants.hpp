// SPDX-License-Identifier: Apache-2.0
// Mutants: wrong rules of a simulated memcached, to show that the comparison with a real one would notice them. Each
// changes what goes into the model or what comes out of it; the model itself knows nothing of them.
#pragma once

#include <span>
#include <string_view>

#include "sim/services/memcached/node.hpp"

namespace lockproof::conformance::memcached {

struct Mutant {
  std::string_view name;
  std::string_view rule;  // the rule that it breaks
  Reply (*run)(sim::memcached::Node& node, const Command& command, const sim::ServerTime& at);
};

[[nodiscard]] std::span<const Mutant> mutants();

/// Runs the command by the unchanged rules.
[[nodiscard]] Reply plain(sim::memcached::Node& node, const Command& command, const sim::ServerTime& at);

}  // namespace lockproof::conformance::memcached
