// SPDX-License-Identifier: Apache-2.0
// QuestionPair: two locks in one world each, which are asked about the same faults within the same bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/scenario/algorithm_ref.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::execution {

struct ComparedSide {
  std::string called;  // as a person names it
  harness::Scenario scenario;
  harness::Bounds bounds{};
  bool alone = true;  // the bounds are the only source of faults
};

struct QuestionPair {
  std::string world;  // "1 server"; empty: that of the scenarios
  ComparedSide a, b;
  std::string bounds_of;  // where the faults and bounds come from
};

/// Where `question` leaves bounds open: of the scenarios' [explore], both faults and those bounds that A states;
/// without one, the faults that are placed there, anywhere; else those of usual_bounds(). Throws harness::InputError
/// where the hosts differ, so that one side's faults cannot strike the other.
void choose_bounds(QuestionPair& question);
/// The bounds of a file, for both. Throws harness::InputError.
void choose_bounds(QuestionPair& question, const std::string& budget_file);

/// Two locks of the catalogue, or of files: the worlds in which `frontier` searches both; if there is none, the first
/// one of each.
[[nodiscard]] std::vector<QuestionPair> question_pairs(const harness::AlgorithmRef& a, const harness::AlgorithmRef& b);

}  // namespace lockproof::execution
