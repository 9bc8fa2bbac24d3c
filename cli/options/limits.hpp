// SPDX-License-Identifier: Apache-2.0
// Limits: --memory and --time as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/port/instant.hpp"

namespace lockproof::cli {

inline constexpr std::uint64_t no_limit = UINT64_MAX;
inline constexpr std::uint64_t most_runs = 1'000'000'000'000;  // or commands; one machine takes about a year for them
inline constexpr const char* soak_by_default = "60s";

/// "512M", "4G". Throws harness::InputError.
[[nodiscard]] std::uint64_t bytes_from(const std::string& text);
/// The same, rounded down to a kilobyte.
[[nodiscard]] std::string text_of_bytes(std::uint64_t bytes);
/// "60s"; empty: nothing. Throws harness::InputError.
[[nodiscard]] std::optional<Duration> time_from(const std::string& text, const char* option = "--time");

}  // namespace lockproof::cli
