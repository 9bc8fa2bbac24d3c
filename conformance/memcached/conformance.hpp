// SPDX-License-Identifier: Apache-2.0
// The same random commands on a simulated memcached and on a real one, at 20 times the speed; every reply must agree.
// The model takes its time from the real server's count of seconds. If that count advances during a burst of commands,
// nothing can be compared, and the sequence is thrown away.
#pragma once

#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance::memcached {

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);
[[nodiscard]] std::vector<MutantName> mutant_names();

}  // namespace lockproof::conformance::memcached
