// SPDX-License-Identifier: Apache-2.0
#include "search/reexecution/graph_leaf.hpp"

#include <fmt/format.h>

#include "harness/check/properties.hpp"
#include "harness/report/host_facts.hpp"
#include "harness/report/text/told_events.hpp"

namespace lockproof::sim {

StateGraph::State graph_state(Walk& walk, bool tells) {
  StateGraph::State state{.inside = inside(walk.world())};
  if (tells) state.facts = harness::host_facts(walk.world().history().header, walk.events(), walk.world().now());
  return state;
}

StateGraph::Event graph_event(const NamingChooser& naming, Walk& walk, Duration before) {
  StateGraph::Event event{.name = naming.event()};
  for (const auto& [property, kind] : walk.shown().broken) {
    event.broken.push_back(kind.empty() ? property : fmt::format("{} ({})", property, kind));
  }
  if (walk.events().empty()) return event;  // they are not kept
  const Duration passed = walk.world().now() - before;
  if (passed > Duration{}) event.happened.push_back(check::seconds_text(passed) + " later");
  harness::History latest{walk.world().history().header, {}};
  latest.events.assign(walk.events().begin() + static_cast<std::ptrdiff_t>(walk.latest_event()), walk.events().end());
  for (const harness::ToldEvent& one : harness::told_events(latest)) {
    const harness::HostIndex host = latest.events[one.position].host;
    const std::string who = host == harness::no_host ? "" : latest.host_name(host) + " ";
    event.happened.push_back(who + one.text);
  }
  for (const harness::Event& one : latest.events) {
    if (event.host < 0) event.host = one.host;
  }
  return event;
}

}  // namespace lockproof::sim
