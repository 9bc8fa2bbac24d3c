// SPDX-License-Identifier: Apache-2.0
#include "real/run/learned_run.hpp"

#include <algorithm>

#include "harness/program/learned_key.hpp"
#include "harness/workload/learning_form.hpp"
#include "real/client/faults.hpp"
#include "real/run/run.hpp"

namespace lockproof::real {
namespace {

constexpr milliseconds holds[]{milliseconds(300), milliseconds(2000)};  // of the machine's time, at most
constexpr int holds_in_run = 4;
constexpr milliseconds beyond{3000};

Duration horizon_of(Duration hold, const harness::Scenario& scenario) {
  return hold * holds_in_run + Duration(beyond) * scenario.speedup;
}

LearnedRun learned(const harness::Scenario& scenario, const Options& options, Duration hold, Duration horizon) {
  Options briefly = options;
  briefly.follows_briefly = true;
  harness::History history = run(harness::learning_form(scenario, hold, horizon), briefly);
  harness::ProgramKey key = harness::learned_key(history, scenario.lock, scenario.program->key);
  return {std::move(key), std::move(history)};
}

}  // namespace

std::int64_t learning_ns_most(const harness::Scenario& scenario) {
  std::int64_t all = 0;
  for (const milliseconds most : holds) {
    const Duration hold = Duration(most) * scenario.speedup;
    all += machine_ns_most(harness::learning_form(scenario, hold, horizon_of(hold, scenario)));
  }
  return all;
}

LearnedRun learn_key(const harness::Scenario& scenario, const Options& options) {
  require_supported(scenario);
  const auto lease_of = [](const harness::ClientSpec& client) { return *client.plan.lease; };
  const Duration lease = lease_of(*std::ranges::max_element(scenario.clients, {}, lease_of));
  LearnedRun result;
  for (const milliseconds most : holds) {
    const Duration hold = std::min(lease / 2, Duration(most) * scenario.speedup);
    result = learned(scenario, options, hold, horizon_of(hold, scenario));
    if (!harness::may_tell_more(result.key)) break;
  }
  return result;
}

}  // namespace lockproof::real
