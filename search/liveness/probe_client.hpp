// SPDX-License-Identifier: Apache-2.0
// ProbeClient: a client that asks for the lock in a quiescent state, in which no other client will ask any more. If it
// never gets the lock, no client ever will. So a search judges deadlock-freedom without a bound in time.
#pragma once

#include <functional>

#include "search/core/exploration.hpp"
#include "search/liveness/quiescent_states.hpp"

namespace lockproof::sim {

/// The scenario with the probe client as its last client, and the time within which no client gets the lock.
[[nodiscard]] harness::Scenario with_probe_client(harness::Scenario scenario, const ProbeClient& comes);

struct ProbeClientsViolation {
  bool reduced = false;    // paths were made with the reduction of ties
  bool by_faults = false;  // see Limits
  std::stop_token stop{};  // looked at all the time
};

/// Tries each end of the quiescent states, and adds to `into` the violations found, for each kind the one with the
/// fewest faults and events. `path_to`: the choices that lead to a state. Throws Cancellation.
void send_probe_clients(const harness::Scenario& scenario, const harness::Bounds& budget, const QuiescentStates& quiet,
                        const std::function<Choices(std::uint32_t)>& path_to, ProbeClientsViolation how,
                        Exploration& into);

}  // namespace lockproof::sim
