// SPDX-License-Identifier: Apache-2.0
// Mutants: wrong rules of a simulated PostgreSQL, to show that the comparison with a real one would notice them. Each
// changes what goes into the model or what comes out of it; the model itself knows nothing of them.
#pragma once

#include <span>
#include <string_view>

#include "sim/services/postgres/node.hpp"

namespace lockproof::conformance::postgres {

struct Mutant {
  std::string_view name;
  std::string_view rule;  // the rule that it breaks
  sim::NodeAnswer (*execute)(sim::postgres::Node& node, const sim::Request& request);
  bool forgets_ends = false;  // the end of a connection is not told to the model
};

[[nodiscard]] std::span<const Mutant> mutants();

}  // namespace lockproof::conformance::postgres
