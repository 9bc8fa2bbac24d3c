// SPDX-License-Identifier: Apache-2.0
// NotIn: of the least causes of what breaks one lock, those whose faults, at the same events, do not break another one.
// So a failure is found that a simpler one, which both have, would hide.
#pragma once

#include <functional>

#include "execution/compare/question_pair.hpp"
#include "execution/explore/causes.hpp"
#include "harness/report/answers/not_in.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

struct NotInOrder {
  search::Limits limits;  // of each search
  unsigned workers = 1;   // searches at the same time
  std::string folder;     // of the scenarios; empty: here
  std::function<void(std::uint64_t done, std::uint64_t all)> tell;
};

/// What becomes of B, which is searched with the faults of this cause's schedule where they strike there, and no
/// others. `into` gets its fate, and why.
void decide_fate(const ComparedSide& b, const Cause& cause, const search::Limits& limits, harness::NotInCause& into);

/// Each least cause of a violation of A, told apart by where it strikes, is one schedule, with the fewest events.
/// Throws harness::InputError, and
/// harness::NotAFunction of a program.
[[nodiscard]] harness::NotInReport find_not_in(const QuestionPair& question, const NotInOrder& order);

}  // namespace lockproof::execution
