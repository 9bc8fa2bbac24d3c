// SPDX-License-Identifier: Apache-2.0
// Bounded takeover: after a client crashed, somebody who asks gets the lock within the time that the scenario allows
// ([judge] takeover, counted from the crash).
#include <fmt/format.h>

#include "harness/check/properties.hpp"

namespace lockproof::check {

using harness::Event;
using harness::What;

Finding bounded_takeover(const harness::History& history, const harness::Scenario& scenario) {
  if (!scenario.takeover) return {"", Verdict::not_found, "", "the scenario states no bound ([judge] takeover)", {}};
  const Duration bound = *scenario.takeover;
  const std::vector<Event>& events = history.events;
  for (std::size_t crash = 0; crash < events.size(); ++crash) {
    const bool dies = events[crash].word == "crash" || events[crash].word == "kill-task";
    if (events[crash].what != What::strike || !dies) continue;
    bool taken = false, asked_past_bound = false;
    for (std::size_t i = crash + 1; i < events.size() && !taken && !asked_past_bound; ++i) {
      const Duration since = events[i].at - events[crash].at;
      taken = events[i].what == What::granted;
      const bool refused = events[i].what == What::busy || events[i].what == What::failed;
      asked_past_bound = (refused || taken) && since > bound;
      if (!asked_past_bound) continue;
      return {
          "",
          Verdict::violated,
          "",
          fmt::format("{} after the crash of {} {} still could not get the lock; {} are allowed", seconds_text(since),
                      place(history, events[crash]), history.host_name(events[i].host), seconds_text(bound)),
          {crash, i}};
    }
    if (!taken) {
      return {"",
              Verdict::unknown,
              "",
              fmt::format("nobody asked for the lock as late as {} after the crash of {}", seconds_text(bound),
                          place(history, events[crash])),
              {crash}};
    }
  }
  return {};
}

}  // namespace lockproof::check
