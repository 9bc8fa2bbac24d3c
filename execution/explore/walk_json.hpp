// SPDX-License-Identifier: Apache-2.0
// WalkJson: every state of a small space, and what could happen next in each, for a page that is walked through.
#pragma once

#include <string>

#include "search/search.hpp"

namespace lockproof::execution {

inline constexpr std::size_t walked_states_max = 8000;

struct Walk {
  std::string json;      // for reports/walk_data.py
  std::string why_none;  // even in one order there are more states, or the search was stopped; empty: it is whole
};

/// Events that commute are told in each order if that has so few states; else in one. `command`: says again what was
/// asked. Throws as search::answer.
[[nodiscard]] Walk walk_of(search::Question question, const search::Limits& limits, const std::string& command);

}  // namespace lockproof::execution
