// SPDX-License-Identifier: Apache-2.0
// The real world: runs a scenario on servers that it starts itself, each client in a process of its own, and writes the
// same history as the simulator.
#pragma once

#include <cstdint>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::real {

/// How much of the machine's time a run takes at most, on an idle machine and on a busy one: it ends then, and throws
/// BadEnvironment.
[[nodiscard]] std::int64_t machine_ns_most(const harness::Scenario& scenario);

/// Returns when all clients are done or at the scenario's horizon. Nothing that it started is left, however it ends; on
/// external servers, no key either.
[[nodiscard]] harness::History run(const harness::Scenario& scenario, const Options& options);

}  // namespace lockproof::real
