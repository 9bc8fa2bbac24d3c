// SPDX-License-Identifier: Apache-2.0
// IncidentScenario: a scenario in which a lock of the catalogue goes through what an incident's clients went through.
#pragma once

#include <string>

#include "execution/judge/incident.hpp"
#include "execution/judge/nearest_lock.hpp"
#include "harness/check/properties.hpp"

namespace lockproof::execution {

/// The clients of the log, its lease and its usual work, without what happened to them: a history's header has it.
[[nodiscard]] std::string scenario_of(const Incident& incident, const Algorithm& lock);

/// Two clients: the holder of that gap is paused as soon as it is inside, and `rival` comes when its connection came.
[[nodiscard]] std::string scenario_of(const Incident& incident, const Algorithm& lock, const Gap& gap,
                                      std::size_t rival);

}  // namespace lockproof::execution
