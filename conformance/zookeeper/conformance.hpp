// SPDX-License-Identifier: Apache-2.0
// The same random requests on a simulated ZooKeeper and on a real one, of several clients: every reply must agree, what
// watches have told in front of it, and which sessions end by themselves and which do not. Both count by the machine's
// clock. Where the machine let a client wait for longer than its session may be silent, the sequence is thrown away.
#pragma once

#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance::zookeeper {

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);
[[nodiscard]] std::vector<MutantName> mutant_names();

}  // namespace lockproof::conformance::zookeeper
