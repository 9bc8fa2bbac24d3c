// SPDX-License-Identifier: Apache-2.0
// Frontier: which sets of faults break one lock on certain servers, and which do not.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "execution/frontier/frontier_questions.hpp"
#include "harness/report/frontier.hpp"
#include "harness/stop_reason.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

/// How it is searched.
struct FrontierOrder {
  search::Limits limits;
  std::function<harness::StopReason()> why_stopped;  // which of the limits was met, if any
  std::function<double()> seconds;                   // since it began
  harness::GivenLimits given;
  std::string budget_file;        // of --budget; empty: the question's own
  std::optional<int> max_faults;  // that were asked for
  std::string out;                // the folder for scenarios; empty: none are wanted
};

struct FrontierAnswer {
  harness::FrontierReport report;
  bool interrupted = false;                           // by a signal
  std::map<std::string, harness::Scenario> breaking;  // by the file that the report names
  std::map<std::string, std::string> harmless;        // as TOML
};

/// Throws harness::NotAFunction of a program.
[[nodiscard]] FrontierAnswer frontier(const FrontierQuestion& question, const FrontierOrder& order);

}  // namespace lockproof::execution
