// SPDX-License-Identifier: Apache-2.0
// real --redis: a run on servers that lockproof did not start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/arguments.hpp"
#include "harness/history/history.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/external/condition.hpp"
#include "real/external/external_servers.hpp"

namespace lockproof::cli {

struct ExternalRun {
  harness::Scenario scenario;  // as it can be run there
  std::shared_ptr<const real::ExternalServers> servers;
  std::vector<real::Condition> before;
};

/// Looks at the servers and says on standard error what will be touched there. Throws harness::InputError if the
/// scenario or the addresses are not for that, real::BadEnvironment if servers are not.
[[nodiscard]] ExternalRun prepare_external_run(const Arguments& arguments, const harness::Scenario& scenario);

/// Checks what happened to the servers during the run. If a server refused a command, every verdict is `unknown`; if a
/// server was restarted, flushed or otherwise changed from outside, every violation is, since that may be its cause.
void judge_circumstances(const ExternalRun& run, const harness::History& history, harness::RunReport& report);

/// What the command line says of them, to be done again.
[[nodiscard]] std::string external_words(const Arguments& arguments);

}  // namespace lockproof::cli
