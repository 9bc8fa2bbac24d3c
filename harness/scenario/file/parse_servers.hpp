// SPDX-License-Identifier: Apache-2.0
// Reads [servers], [[server]] and [[sentinel]]: which servers there are, and what each of them is.
#pragma once

#include <cstdint>
#include <string>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

inline constexpr std::int64_t servers_max = 16;

/// The scenario's algorithm and clients must have been read. Throws InputError.
void read_servers(Fields& top, const std::string& file, Scenario& s);
/// `clock`: how far a host's wall clock is ahead.
[[nodiscard]] ClockSpec read_clock(Fields& fields);

}  // namespace lockproof::harness
