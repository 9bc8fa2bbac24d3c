// SPDX-License-Identifier: Apache-2.0
#include "search/zoned_answer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "search/verdicts.hpp"

namespace lockproof::search {

std::optional<AnswerByZones> answer_by_zones(Question question, Limits limits) {
  constexpr std::uint64_t zones_most = 300'000;
  question.engine = Engine::zones;
  if (!why_no_zones(question).empty()) return std::nullopt;
  question.drifts = false;  // zones know all starts
  limits.work = std::min(limits.work, zones_most);
  AnswerByZones found;
  const auto go_on = limits.go_on;
  limits.go_on = [&](const sim::Progress& progress) {
    if (go_on && !go_on(progress)) found.is_stopped = true;
    return !found.is_stopped;
  };
  found.answer = answer(question, limits);
  enact_all(found.answer, question, limits.stop_telling);
  return found;
}

std::optional<Question> known_to_zones(Question question) {
  const std::vector<harness::BudgetedFault> all = std::exchange(question.bounds.budget, {});
  for (const harness::BudgetedFault& entry : all) {
    Question alone = question;
    alone.bounds.budget = {entry};
    alone.engine = Engine::zones;
    if (why_no_zones(alone).empty()) question.bounds.budget.push_back(entry);
  }
  const std::size_t known = question.bounds.budget.size();
  if (known == 0 || known == all.size()) return std::nullopt;
  return question;
}

bool decides_all(const Answer& answer) {
  if (answer.end != End::complete) return answer.end == End::enough;
  const auto is_open = [](const check::Finding& finding) { return finding.verdict == check::Verdict::unknown; };
  return std::ranges::none_of(findings_of(answer), is_open);
}

}  // namespace lockproof::search
