// SPDX-License-Identifier: Apache-2.0
// AnswerByZones: what zones say to a question that leaves the engine open.
#pragma once

#include <optional>

#include "search/search.hpp"

namespace lockproof::search {

struct AnswerByZones {
  Answer answer;
  bool is_stopped = false;  // by Limits::go_on: nothing else may be searched
};

/// With its counterexamples, as far as that is worth its time. Nothing: zones cannot search it.
[[nodiscard]] std::optional<AnswerByZones> answer_by_zones(Question question, Limits limits);

/// The question without those entries of its budget that zones do not know. Nothing: they know all, or none.
[[nodiscard]] std::optional<Question> known_to_zones(Question question);

/// Whether the answer leaves nothing open that was asked.
[[nodiscard]] bool decides_all(const Answer& answer);

}  // namespace lockproof::search
