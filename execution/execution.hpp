// SPDX-License-Identifier: Apache-2.0
// Execution: one scenario run once in one world, and judged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/history/history.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::real {
struct ForeignServers;
}

namespace lockproof::execution {

enum class WorldKind : std::uint8_t { simulated, real };

struct Execution {
  harness::History history;  // empty where the world could not run it
  harness::RunReport report;
};

/// A real run that missed what the scenario expects on a machine that was late is repeated, see
/// harness/check/lateness.hpp. What a world cannot make gives `unknown` with the reason. Throws real::BadEnvironment.
/// `foreign`: of a real run, the servers to use; null: it starts its own.
[[nodiscard]] Execution execute(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                                const std::shared_ptr<const real::ForeignServers>& foreign = nullptr);

/// The report of a run that did not take place: `unknown`, with the reason.
[[nodiscard]] Execution not_run(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                                const std::string& reason);

}  // namespace lockproof::execution
