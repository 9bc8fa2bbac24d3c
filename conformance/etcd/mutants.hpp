// SPDX-License-Identifier: Apache-2.0
// Mutants: wrong rules of a simulated etcd, to show that the comparison with a real one would notice them. Each changes
// what goes into the model or what comes out of it; the model itself knows nothing of them.
#pragma once

#include <span>
#include <string_view>

#include "sim/services/etcd/server.hpp"

namespace lockproof::conformance::etcd {

struct Mutant {
  std::string_view name;
  std::string_view rule;  // the rule that it breaks
  sim::NodeAnswer (*execute)(sim::etcd::Server& server, const sim::Request& request);
  bool forgets_ends = false;         // the end of a connection is not told to the model
  milliseconds ends_later{};         // leases end so much later, or sooner
  bool tells_nobody_of_end = false;  // the end of a lease is not told to watchers
  bool restarts_at_once = false;     // leases go on over a restart
};

[[nodiscard]] std::span<const Mutant> mutants();

}  // namespace lockproof::conformance::etcd
