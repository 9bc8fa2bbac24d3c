// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/clients.hpp"

namespace lockproof::harness {

Plan plan_of(const Scenario& scenario, std::size_t client) {
  Plan plan = scenario.clients.at(client).plan;
  if (plan.asking != Asking::polls) return plan;
  for (const Step& step : scenario.steps) {
    const EventName& event = step.event;
    if (event.kind != EventName::Kind::ask || event.actor != scenario.clients[client].name) continue;
    plan.asks.push_back({event.round, event.occurrence, step.at.value_or(Duration{})});
  }
  return plan;
}

std::unique_ptr<Lock> make_lock(const Scenario& scenario, std::size_t client, Ports ports) {
  const ClientSpec& spec = scenario.clients.at(client);
  ports.caller = {.name = spec.name, .mode = spec.plan.mode};
  Parameters parameters = spec.parameters;
  parameters.insert(scenario.parameters.begin(), scenario.parameters.end());  // where it has none of its own
  return scenario.algorithm->make(ports, parameters);
}

}  // namespace lockproof::harness
