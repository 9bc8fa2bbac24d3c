// SPDX-License-Identifier: Apache-2.0
// The same random steps on simulated nodes and on real redis-servers; every reply must agree, error texts included, and
// every message to a subscriber, every keyspace event, every command that replicas get and what is in a node after it
// was promoted, copied, restarted.
#pragma once

#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance::redis {

/// One node, or several that replicate, fail over and restart. They end at the first difference. Throw
/// real::BadEnvironment.
[[nodiscard]] Report compare_node(const Options& options);
[[nodiscard]] Report compare_nodes(const Options& options);
/// The wrong rules that one node shows, and those that only several show.
[[nodiscard]] std::vector<MutantName> mutant_names_of_node();
[[nodiscard]] std::vector<MutantName> mutant_names_of_nodes();

}  // namespace lockproof::conformance::redis
