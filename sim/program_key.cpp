// SPDX-License-Identifier: Apache-2.0
#include "sim/program_key.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/program/learned_key.hpp"
#include "harness/program/program_effort.hpp"
#include "harness/workload/learning_form.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr int horizon_in_leases = 8;

}  // namespace

harness::ProgramKey key_of_program(const harness::Scenario& scenario) {
  const auto lease_of = [](const harness::ClientSpec& client) { return *client.plan.lease; };
  const Duration lease = lease_of(*std::ranges::max_element(scenario.clients, {}, lease_of));
  const harness::Scenario form = harness::learning_form(scenario, lease / 2, lease * horizon_in_leases);
  const harness::History history = run(form, form.seed, {.record_inputs = false, .token_name = {}});
  harness::ProgramKey key = harness::learned_key(history, scenario.lock, scenario.program->key);
  if (key.source != harness::KeySource::no_grant) return key;
  std::vector<std::string> reasons;  // first what the model lacks; the other remarks are none
  for (const harness::Remark& remark : scenario.program->in_virtual_time.programs->executed().noticed) {
    if (remark.kind == harness::Remark::Kind::lack) reasons.push_back("the program " + remark.words);
  }
  key.reasons.insert(key.reasons.begin(), reasons.begin(), reasons.end());
  return key;
}

}  // namespace lockproof::sim
