// SPDX-License-Identifier: Apache-2.0
// Judge: the logs of an incident in; what was violated, what is certain and what only possible, and a scenario that
// does it again out.
#pragma once

#include <string>

#include "execution/judge/incident.hpp"
#include "harness/history/history.hpp"
#include "harness/report/answers/judged.hpp"
#include "harness/report/verdicts.hpp"

namespace lockproof::execution {

struct Judgement {
  harness::JudgedReport report;
  /// What is certain; if only something possible is violated, what is possible. Empty: there is no log of the server.
  harness::History history;
  std::string scenario;         // of the reproduction; empty: no fault was found in the logs
  harness::RunReport verdicts;  // of the history, for its page: what is only possible is unknown
};

/// Throws InputError.
[[nodiscard]] Judgement judge_logs(const JudgeOrder& order);

}  // namespace lockproof::execution
