// SPDX-License-Identifier: Apache-2.0
// Whole numbers on the command line. CLI11 alone takes -1 for 2^64 - 1, and what is too large for the largest number.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace lockproof::cli {

/// The largest seed: a scenario can say it too.
inline constexpr std::uint64_t seed_most = std::numeric_limits<std::int64_t>::max();

/// For an option's check(): empty if it is one; else what is wrong.
[[nodiscard]] std::function<std::string(const std::string&)> whole_number(std::uint64_t least, std::uint64_t most);

}  // namespace lockproof::cli
