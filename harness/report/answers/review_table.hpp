// SPDX-License-Identifier: Apache-2.0
// The table of a review's page: a row for each lock, yes or no for each requirement.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/answers/reviewed.hpp"

namespace lockproof::harness {

/// Not asked, where the row has no such cell.
[[nodiscard]] const ReviewCell& cell_of(const std::map<Concern, ReviewCell>& cells, Concern concern);
/// Whether the lock keeps it: "yes", "NO", "unknown".
[[nodiscard]] std::string answer_word(const ReviewCell& cell);
/// What a requirement is called where "yes" means that it is kept.
[[nodiscard]] std::string requirement(Concern concern);
[[nodiscard]] std::string answers_table(const ReviewReport& r, const std::vector<ReviewRow>& rows, const Style& style);

}  // namespace lockproof::harness
