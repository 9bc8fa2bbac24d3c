// SPDX-License-Identifier: Apache-2.0
// The same random statements on a simulated PostgreSQL and on a real one, over four connections: every reply must
// agree, and which statements wait, for how long and with what result. Both have the same wall clock, which stands
// still between steps.
#pragma once

#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance::postgres {

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);
[[nodiscard]] std::vector<MutantName> mutant_names();

}  // namespace lockproof::conformance::postgres
