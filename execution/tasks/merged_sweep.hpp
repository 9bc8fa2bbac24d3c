// SPDX-License-Identifier: Apache-2.0
// What sweeps of some kinds of faults say together of all of them.
#pragma once

#include <vector>

#include "harness/report/swept.hpp"

namespace lockproof::execution {

/// REQUIRES: the parts are of one program, at least one, and of other kinds each. Throws harness::InputError if they
/// judged different keys.
[[nodiscard]] harness::SweptReport merged_sweep(std::vector<harness::SweptReport> parts);

}  // namespace lockproof::execution
