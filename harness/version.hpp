// SPDX-License-Identifier: Apache-2.0
// Which lockproof this is, and which form its JSON has.
#pragma once

namespace lockproof::harness {

inline constexpr const char* program_version = "0.1.0";
/// Counts up when a field of the JSON that the commands write is renamed, goes away, or comes to mean something else.
/// Fields that are added do not count.
inline constexpr int schema_version = 2;

}  // namespace lockproof::harness
