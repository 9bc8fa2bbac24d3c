// SPDX-License-Identifier: Apache-2.0
#include "search/zones/monitors.hpp"

#include <utility>

#include "harness/scenario/names.hpp"
#include "search/core/contention.hpp"

namespace lockproof::zones {

using harness::What;

Monitors::Monitors(const harness::Scenario& scenario)
    : clients_(scenario.clients.size()), events_(sim::states_bound_in_time(scenario), false) {
  header_.hosts = sim::MonitorStates::hosts_of(scenario);
  header_of_timed_ = header_;
  header_of_timed_.sees_servers = false;  // of which kind a violation is, the run says that confirms it
  for (const check::Property& property : check::properties_of(scenario)) {
    const bool is_judged = property.watch && check::is_judged(property, scenario);
    if (is_judged && sim::is_bounded_in_time(property, scenario)) {
      judged_.emplace_back(property.name);
      timed_.push_back(std::make_unique<TimedWatcher>(scenario, events_, header_of_timed_, property));
      continue;
    }
    if (!is_judged || sim::MonitorStates::is_trait(property) || sim::Watcher::counts_time(property, scenario)) continue;
    judged_.emplace_back(property.name);
    names_.push_back(property.name);
    watchers_.push_back(
        std::make_unique<sim::Watcher>(scenario, events_, header_, property, sim::Watcher::Numbers::given));
  }
}

std::vector<Monitors::Violation> Monitors::show(std::span<Id> states, Id events) {
  std::vector<Violation> violations;
  if (states.empty() || events == sim::EventLists::empty) return violations;
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    const sim::Watcher::MonitorStep& seen = watchers_[i]->seen(states[i], events);
    states[i] = seen.state;
    if (seen.broken) violations.emplace_back(names_[i], seen.kind);
  }
  return violations;
}

Id Monitors::with_number(Id events, int number) {
  return events_.rewritten(events, [&](harness::Event& event) { event.message = number; });
}

Id Monitors::sending(std::size_t client, bool of_resource, int number) {
  harness::Event event{.what = What::send};
  event.host = static_cast<harness::HostIndex>(client);
  event.peer = server(of_resource);
  const Id sent = events_.add({std::move(event)}, static_cast<int>(client), static_cast<int>(clients_), 0);
  return with_number(sent, number);
}

Id Monitors::losing(std::size_t client, bool of_resource, std::vector<int> numbers) {
  for (int& number : numbers) number = -number;  // as if it were counted back
  return events_.losses(static_cast<int>(client), server(of_resource), numbers);
}

Id Monitors::striking(std::optional<std::size_t> client, harness::FaultKind kind,
                      std::vector<harness::Effect> effects) {
  harness::Event event{.what = What::strike};
  event.host = static_cast<harness::HostIndex>(client.value_or(clients_));
  event.word = harness::name(kind);
  event.effects = std::move(effects);
  const int host = event.host;
  return events_.add({std::move(event)}, host, static_cast<int>(clients_), 0);
}

Id Monitors::holding_up(What what, std::optional<std::size_t> client, harness::FaultKind kind,
                        harness::HostIndex peer) {
  harness::Event event{.what = what};
  event.host = static_cast<harness::HostIndex>(client.value_or(clients_));
  event.peer = peer;
  event.word = harness::name(kind);
  const int host = event.host;
  return events_.add({std::move(event)}, host, static_cast<int>(clients_), 0);
}

Id Monitors::executing(std::size_t client, bool of_resource, const Command& command, const Reply& reply,
                       std::vector<harness::Effect> effects, int number) {
  harness::Event event{.what = What::execute};
  event.host = server(of_resource);
  event.peer = static_cast<harness::HostIndex>(client);
  event.command = command;
  event.reply = reply;
  event.effects = std::move(effects);
  const int host = event.host;
  return with_number(events_.add({std::move(event)}, host, static_cast<int>(clients_), 0), number);
}

}  // namespace lockproof::zones
