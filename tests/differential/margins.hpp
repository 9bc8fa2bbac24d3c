// SPDX-License-Identifier: Apache-2.0
// Margins: which scenarios a real run can decide. A real run on time differs from a simulated one by less than
// check::late_us_allowed in each timer, message and strike. So a scenario is decided if all simulated runs agree in
// which each of these comes later by up to that much, at random: messages and strikes by themselves, timers in half of
// the runs, since hosts stand still now and then. Where a client's event strikes another host, the client stands there
// for that long. If the runs do not agree, the scenario's margins are too small for any machine.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::tests {

/// By property: its verdict, and the kind of a violation.
using Verdicts = std::map<std::string, std::string>;
[[nodiscard]] Verdicts verdicts(const harness::History& history, const harness::Scenario& scenario);
/// "mutual-exclusion violated (outlived), …"; what was not found is left out.
[[nodiscard]] std::string shown(const Verdicts& verdicts);

/// What all those runs agree on; nothing: they do not.
[[nodiscard]] std::optional<Verdicts> decided(const harness::Scenario& scenario);

}  // namespace lockproof::tests
