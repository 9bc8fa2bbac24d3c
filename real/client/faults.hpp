// SPDX-License-Identifier: Apache-2.0
// Which of a scenario's faults real runs can inject, and how these are recorded.
#pragma once

#include <string_view>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::real {

/// The strike of the fault with this position in the scenario's list, as an event without stamps.
[[nodiscard]] harness::Event strike_event(const harness::Scenario& scenario, std::size_t fault);
/// The heal of that fault, as an event without stamps.
[[nodiscard]] harness::Event heal_event(const harness::Scenario& scenario, std::size_t fault);
/// Whether it has faults that only a proxy between its hosts can inject.
[[nodiscard]] bool needs_proxy(const harness::Scenario& scenario);
/// Whether it can strike before the first client runs: what a partition, a stalled replication or a slow clock shall
/// cover from the first instant on must not race with the clients' first commands.
[[nodiscard]] bool strikes_at_start(const harness::Fault& fault);
/// The server to which a client's pool gives it another connection.
[[nodiscard]] harness::HostIndex switched_server(const harness::Scenario& scenario, const harness::Fault& fault);
/// Throws UnsupportedFeature with the reason if the scenario needs something that real servers cannot do here.
void require_supported(const harness::Scenario& scenario);

}  // namespace lockproof::real
