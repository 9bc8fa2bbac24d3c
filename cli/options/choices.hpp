// SPDX-License-Identifier: Apache-2.0
// Names that an option may have. Each function answers with an empty string if the name is one of them, else with the
// complaint that CLI11 shows, which names the nearest choice.
#pragma once

#include <string>

namespace lockproof::cli {

[[nodiscard]] std::string no_algorithm(const std::string& name);
[[nodiscard]] std::string no_engine(const std::string& name);
/// A property that explore and minimize can search for.
[[nodiscard]] std::string no_property_to_search(const std::string& name);
/// A strategy, or "pct:3".
[[nodiscard]] std::string no_strategy(const std::string& text);

inline constexpr int depth_most = 16;  // of pct

}  // namespace lockproof::cli
