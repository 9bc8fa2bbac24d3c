// SPDX-License-Identifier: Apache-2.0
// What a scenario makes of one of its clients: its plan, and the lock as this client uses it.
#pragma once

#include <cstddef>
#include <memory>

#include "algorithms/port/lock.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// The plan of the client with this number, with the instants of its attempts that the scenario fixes: the [[step]]
/// entries "client-1 asks #2" with `at`.
[[nodiscard]] Plan plan_of(const Scenario& scenario, std::size_t client);

/// What the lock knows of this client. The scenario must outlive it.
[[nodiscard]] Caller caller_of(const Scenario& scenario, std::size_t client);

/// The lock with this client's name, mode and parameters; of a client that takes several, one with an object for each,
/// unless its plan says otherwise. The scenario must outlive it.
[[nodiscard]] std::unique_ptr<Lock> make_lock(const Scenario& scenario, std::size_t client, Ports ports);

/// Whether a fault of this kind strikes a client's whole process, with all clients that are tasks of it.
[[nodiscard]] bool strikes_process(FaultKind kind);

/// Whether the lock can tell two clients apart that are alike but for their names: a program has a seed and a name of
/// its own, and a file may read who uses it.
[[nodiscard]] inline bool knows_names(const Scenario& scenario) {
  return scenario.program || (scenario.algorithm && scenario.algorithm->knows_names);
}

}  // namespace lockproof::harness
