// SPDX-License-Identifier: Apache-2.0
// Mutants: wrong rules of a simulated ZooKeeper, to show that the comparison with a real one would notice them. Each
// changes what goes into the model or what comes out of it; the model itself knows nothing of them.
#pragma once

#include <span>
#include <string_view>

#include "sim/services/zookeeper/server.hpp"

namespace lockproof::conformance::zookeeper {

struct Mutant {
  std::string_view name;
  std::string_view rule;  // the rule that it breaks
  sim::NodeAnswer (*execute)(sim::zookeeper::Server& server, const sim::Request& request);
  bool keeps_watches = false;        // a session that goes on over another connection still has them
  int ends_later = 0;                // sessions end by so many ticks later, or sooner
  bool tells_nobody_of_end = false;  // the end of a session is not told to watchers
};

[[nodiscard]] std::span<const Mutant> mutants();

}  // namespace lockproof::conformance::zookeeper
