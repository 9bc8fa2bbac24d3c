// SPDX-License-Identifier: Apache-2.0
#include "tests/differential/known_gaps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/history/history.hpp"
#include "sim/run.hpp"

namespace lockproof::tests {
namespace {

using harness::Event;
using harness::FaultKind;
using harness::HostIndex;
using harness::What;

bool has(const harness::Scenario& scenario, FaultKind kind) {
  return std::ranges::find(scenario.faults, kind, &harness::Fault::kind) != scenario.faults.end();
}

/// A server runs what CLIENT PAUSE kept waiting of a client that has ended. A real client's process has ended its
/// connections by then, and a real server forgets the command.
bool serves_the_ended(const harness::Scenario& scenario, const harness::History& history) {
  if (!has(scenario, FaultKind::client_pause)) return false;
  std::set<HostIndex> ended;
  return std::ranges::any_of(history.events, [&](const Event& event) {
    if (event.what == What::finished || event.what == What::gave_up) ended.insert(event.host);
    return event.what == What::execute && ended.contains(event.peer);
  });
}

/// A server that goes on serves several clients at once, and one of them over a connection that was opened meanwhile. A
/// real server reads such a connection behind those that it had accepted before.
bool reads_what_is_new(const harness::Scenario& scenario, const harness::History& history) {
  if (!has(scenario, FaultKind::pause)) return false;
  std::map<HostIndex, std::set<HostIndex>> reconnected;  // by the server, since it stands still
  std::map<HostIndex, Duration> woke;
  std::map<HostIndex, std::set<HostIndex>> served;  // at that instant
  for (const Event& event : history.events) {
    if (event.what == What::strike && event.word == "pause") reconnected[event.host].clear();
    if (event.what == What::broken) reconnected[event.peer].insert(event.host);
    if (event.what == What::heal) woke[event.host] = event.at, served[event.host].clear();
    const auto up = woke.find(event.host);
    if (event.what != What::execute || up == woke.end() || up->second != event.at) continue;
    served[event.host].insert(event.peer);
    const auto& there = served[event.host];
    const auto is_new = [&](HostIndex client) { return reconnected[event.host].contains(client); };
    if (there.size() > 1 && std::ranges::any_of(there, is_new)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string_view> known_gap(const harness::Scenario& scenario) {
  const harness::History history = sim::run(scenario, 1);
  if (serves_the_ended(scenario, history))
    return "a server runs what CLIENT PAUSE kept waiting of a client that has ended";
  if (reads_what_is_new(scenario, history)) return "a server that goes on reads a connection that was opened meanwhile";
  return std::nullopt;
}

}  // namespace lockproof::tests
