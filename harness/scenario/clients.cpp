// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/clients.hpp"

#include "harness/scenario/fault_table.hpp"

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

Caller caller_of(const Scenario& scenario, std::size_t client) {
  const ClientSpec& spec = scenario.clients.at(client);
  return {.name = spec.name, .mode = spec.plan.mode};
}

std::unique_ptr<Lock> make_lock(const Scenario& scenario, std::size_t client, Ports ports) {
  const ClientSpec& spec = scenario.clients.at(client);
  ports.caller = caller_of(scenario, client);
  Parameters parameters = spec.parameters;
  parameters.insert(scenario.parameters.begin(), scenario.parameters.end());  // where it has none of its own
  return scenario.algorithm->make(ports, parameters);
}

bool strikes_process(FaultKind kind) {
  using Action = FaultRow::Action;
  switch (row_of(kind).action) {
    case Action::stand_still:
    case Action::end_process:
    case Action::jump_clock:
    case Action::set_rate:
    case Action::cut_off: return true;
    default: return false;
  }
}

}  // namespace lockproof::harness
