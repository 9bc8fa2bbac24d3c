// SPDX-License-Identifier: Apache-2.0
#include "search/zones/monitors.hpp"

namespace lockproof::zones {

using harness::What;

Monitors::Monitors(const harness::Scenario& scenario) : clients_(scenario.clients.size()) {
  header_.hosts = sim::MonitorStates::hosts_of(scenario);
  for (const check::Property& property : check::properties_of(scenario)) {
    const bool is_judged = property.watch && check::is_judged(property, scenario);
    if (!is_judged || sim::MonitorStates::is_trait(property) || sim::Watcher::counts_time(property, scenario)) continue;
    judged_.emplace_back(property.name);
    names_.push_back(property.name);
    watchers_.push_back(std::make_unique<sim::Watcher>(scenario, events_, header_, property));
  }
}

std::vector<Monitors::Violation> Monitors::show(std::span<Id> states, Id events) {
  std::vector<Violation> violations;
  if (states.empty() || events == sim::EventLists::empty) return violations;
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    const sim::Watcher::Seen& seen = watchers_[i]->seen(states[i], events);
    states[i] = seen.state;
    if (seen.broken) violations.emplace_back(names_[i], seen.kind);
  }
  return violations;
}

Id Monitors::sending(std::size_t client, bool of_resource) {
  harness::Event event{.what = What::send};
  event.host = static_cast<harness::HostIndex>(client);
  event.peer = server(of_resource);
  return events_.add({std::move(event)}, static_cast<int>(client), static_cast<int>(clients_), 0);
}

Id Monitors::executing(std::size_t client, bool of_resource, const Command& command, const Reply& reply,
                       std::vector<harness::Effect> effects, int later) {
  harness::Event event{.what = What::execute};
  event.host = server(of_resource);
  event.peer = static_cast<harness::HostIndex>(client);
  event.message = -later - 1;  // as a site counts back
  event.command = command;
  event.reply = reply;
  event.effects = std::move(effects);
  const int host = event.host;
  return events_.add({std::move(event)}, host, static_cast<int>(clients_), 0);
}

}  // namespace lockproof::zones
