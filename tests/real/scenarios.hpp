// SPDX-License-Identifier: Apache-2.0
// Scenarios for the tests of real/, built in code: small, and over within a second. What a test sets is what it is
// about.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::tests {

/// Some clients that take the lock once each, hold it for a second, and one server.
inline harness::Scenario scenario_with(std::string_view algorithm, int clients) {
  harness::Scenario scenario;
  scenario.name = "in-code";
  scenario.algorithm = find_algorithm(algorithm);
  for (const Parameter& p : scenario.algorithm->parameters) scenario.parameters.emplace(p.name, p.standard);
  for (int i = 1; i <= clients; ++i) {
    harness::ClientSpec client;
    client.name = "client-" + std::to_string(i);
    client.plan.lease = milliseconds(5'000);
    scenario.clients.push_back(std::move(client));
  }
  scenario.servers.push_back({"redis-1", {}});
  scenario.horizon = seconds(30);
  return scenario;
}

inline std::vector<harness::Event> events_of(const harness::History& history, harness::What what,
                                             std::string_view host) {
  std::vector<harness::Event> found;
  for (const harness::Event& event : history.events) {
    if (event.what == what && history.host_name(event.host) == host) found.push_back(event);
  }
  return found;
}

}  // namespace lockproof::tests
