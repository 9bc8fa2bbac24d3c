// SPDX-License-Identifier: Apache-2.0
// Scenarios for the tests of real/, built in code: small, and over within a second. What a test sets is what it is
// about.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
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

inline harness::Fault fault_at_event(harness::FaultKind kind, const char* target, const char* actor,
                                     harness::EventPlace::Moment moment, const char* verb = "") {
  harness::Fault fault;
  fault.kind = kind;
  fault.target = target;
  fault.when = harness::EventPlace{.actor = actor, .moment = moment, .verb = verb, .client = ""};
  return fault;
}

/// The first client enters first.
inline harness::Scenario two_clients(std::string_view algorithm) {
  harness::Scenario scenario = scenario_with(algorithm, 2);
  scenario.clients[1].plan.start = milliseconds(600);
  return scenario;
}

/// Every message is sent, run and received in this order.
inline void expect_causality(const harness::History& history) {
  using Id = std::tuple<harness::HostIndex, harness::HostIndex, int>;
  std::map<Id, int> stage;
  Duration last{};
  for (const harness::Event& event : history.events) {
    EXPECT_GE(event.at, last);
    last = event.at;
    if (event.what == harness::What::send) {
      EXPECT_EQ((stage[{event.host, event.peer, event.message}]++), 0);
    } else if (event.what == harness::What::execute) {
      EXPECT_EQ((stage[{event.peer, event.host, event.message}]++), 1);
    } else if (event.what == harness::What::receive || event.what == harness::What::discard) {
      EXPECT_EQ((stage[{event.host, event.peer, event.message}]++), 2);
    }
  }
}

}  // namespace lockproof::tests
