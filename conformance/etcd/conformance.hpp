// SPDX-License-Identifier: Apache-2.0
// The same random requests on a simulated etcd and on a real one, of several clients: every reply must agree, what
// watches have told, and which leases have ended. Both count by the machine's clock. Where a request took so long that
// a lease may have ended meanwhile, the sequence is thrown away.
#pragma once

#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance::etcd {

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);
[[nodiscard]] std::vector<MutantName> mutant_names();

}  // namespace lockproof::conformance::etcd
