// SPDX-License-Identifier: Apache-2.0
// Execution: one scenario run once in one world, and judged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/history/history.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::execution {

enum class WorldKind : std::uint8_t { simulated, real };

/// Which servers a real run has.
struct RealServers {
  std::shared_ptr<const real::ExternalServers> external{};  // these; null: it starts its own
  real::Programs programs{};                                // other builds of the programs that it starts
  bool traced = false;                                      // in virtual time, in which each look takes as long as ever
};

struct Execution {
  harness::History history;  // empty where the world could not run it
  harness::RunReport report;
};

/// A real run that missed what the scenario expects on a machine that was late is repeated, see
/// harness/check/lateness.hpp. What a world cannot make gives `unknown` with the reason. Throws real::BadEnvironment.
/// `servers`: of a real run.
[[nodiscard]] Execution execute(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                                const RealServers& servers = {});

/// How much of the machine's time `execute` takes at most on real servers, with all repetitions.
[[nodiscard]] Duration real_time_most(const harness::Scenario& scenario);

/// Of a scenario without [expect]: a violation fails, and what else comes of the run is not compared.
void leave_unstated(harness::RunReport& report);

/// The report of a run that did not take place: `unknown`, with the reason.
[[nodiscard]] Execution not_run(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                                const std::string& reason);

}  // namespace lockproof::execution
