// SPDX-License-Identifier: Apache-2.0
// Reads [explore]: from a scenario, or from a budget file that many scenarios share.
#pragma once

#include <string>
#include <string_view>

#include "harness/scenario/bounds.hpp"
#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// The hosts and the lease of the scenario must have been read. `shared`: the table is for scenarios of any service, so
/// what cannot happen to this one's is left out. Throws InputError.
[[nodiscard]] Bounds read_bounds(const std::string& file, const Node& table, const Scenario& scenario,
                                 bool shared = false);
/// A file that holds an [explore] table and nothing else. Throws InputError.
[[nodiscard]] Bounds load_budget(const std::string& file, const Scenario& scenario);
/// The same of its text; the file is named in messages.
[[nodiscard]] Bounds parse_budget(const std::string& file, std::string_view text, const Scenario& scenario);

}  // namespace lockproof::harness
