// SPDX-License-Identifier: Apache-2.0
// TracedExecution: a real run in virtual time, for commands that make many. It is `lockproof real` of its scenario,
// traced with the servers and programs that it starts (tracer/traced_command.hpp).
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::execution {

struct TracedExecution {
  harness::History history;
  harness::RunReport report;
  std::string digest;   // of the whole run: two are equal when these are
  bool is_cut = false;  // a program computed for long without a call: the same again may differ
};

/// Throws harness::InputError for a scenario that real servers can run, but not in virtual time.
void require_traceable(const harness::Scenario& scenario);

/// A function of the scenario, and of the programs. A key that is known is not learned again. Throws
/// real::BadEnvironment where the run cannot be made.
[[nodiscard]] TracedExecution execute_traced(const harness::Scenario& scenario, const real::Programs& programs);

/// Options of a traced `lockproof real`: the programs of servers, and in `reads` the folders that they are in.
[[nodiscard]] std::vector<std::string> words_of(const real::Programs& programs, std::vector<std::string>& reads);

}  // namespace lockproof::execution
