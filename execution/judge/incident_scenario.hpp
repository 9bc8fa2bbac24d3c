// SPDX-License-Identifier: Apache-2.0
// IncidentScenario: a scenario in which a lock of the catalogue goes through what an incident's clients went through.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "execution/judge/incident.hpp"
#include "execution/judge/nearest_lock.hpp"
#include "harness/check/properties.hpp"

namespace lockproof::execution {

/// The clients of the log, its lease and its usual work, without what happened to them: a history's header has it.
[[nodiscard]] std::string scenario_of(const Incident& incident, const Algorithm& lock);

/// What may have happened in a gap.
enum class GapCause : std::uint8_t { pause, longer_work, cut };
inline constexpr std::array gap_causes{GapCause::pause, GapCause::longer_work, GapCause::cut};

/// "a pause".
[[nodiscard]] std::string_view name(GapCause cause);

/// A guess of what the log leaves open.
struct GapGuess {
  GapCause cause = GapCause::pause;
  bool renews = true;  // a lock that can renew its lease does so; else it is given the lease of the log
};

/// Two clients: that happens to the holder of the gap as soon as it is inside, and `rival` comes when its connection
/// came.
[[nodiscard]] std::string scenario_of(const Incident& incident, const Algorithm& lock, const Gap& gap,
                                      std::size_t rival, const GapGuess& guess);

}  // namespace lockproof::execution
