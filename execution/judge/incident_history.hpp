// SPDX-License-Identifier: Apache-2.0
// IncidentHistory: an incident as a history that checkers and pages read, without names of hosts, keys and values.
#pragma once

#include <cstdint>
#include <string>

#include "execution/judge/incident.hpp"
#include "harness/history/history.hpp"

namespace lockproof::execution {

enum class Evidence : std::uint8_t {
  certain,   // who is inside entered as late and left as early as the logs allow; only what is proved is given back
  possible,  // … as early and as late
};

/// `scenario_text`: of the header.
[[nodiscard]] harness::History history_of(const Incident& incident, Evidence evidence,
                                          const std::string& scenario_text);

/// World time of a stamp of the server's: the log's first line has one second.
[[nodiscard]] inline Duration world_time(const Incident& incident, std::int64_t at_us) {
  return seconds(1) + Duration(at_us - incident.log.begin_us);
}

}  // namespace lockproof::execution
