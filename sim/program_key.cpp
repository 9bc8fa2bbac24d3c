// SPDX-License-Identifier: Apache-2.0
#include "sim/program_key.hpp"

#include <algorithm>

#include "harness/program/made_key.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {

std::string key_of_program(const harness::Scenario& scenario) {
  harness::Scenario plain = scenario;
  plain.faults.clear();
  plain.steps.clear();
  plain.contention = harness::Contention::as_written;
  const auto start_of = [](const harness::ClientSpec& client) { return client.plan.start; };
  const harness::Plan& first = std::ranges::min_element(plain.clients, {}, start_of)->plan;
  plain.horizon = std::min(plain.horizon, first.start + *first.lease * 2);
  for (const harness::Event& event : run(plain, plain.seed, {.record_inputs = false, .token_name = {}}).events) {
    if (event.what != harness::What::execute) continue;
    if (const auto key = harness::made_key(event.effects, scenario.lock)) return *key;
  }
  return {};
}

}  // namespace lockproof::sim
