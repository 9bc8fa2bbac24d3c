// SPDX-License-Identifier: Apache-2.0
// Compare: what breaks one of two locks, and not the other, by the same faults within the same bounds: a small search
// of each lock for each fault.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "execution/compare/question_pair.hpp"
#include "harness/report/answers/compared.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

struct CompareOrder {
  search::Limits limits;                // of each search
  unsigned workers = 1;                 // searches at the same time
  std::optional<std::string> folder{};  // of the rows' scenarios, which are to be read; empty: here; nothing: none are
  std::function<void(std::uint64_t done, std::uint64_t all)> tell;
};

/// All but what only the command line knows. REQUIRES: at least one question, all of the same two locks. Throws
/// harness::InputError, and harness::NotAFunction of a program.
[[nodiscard]] harness::ComparedReport compare(const std::vector<QuestionPair>& questions, const CompareOrder& order);

}  // namespace lockproof::execution
