// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/scenario/scenario.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

constexpr Duration tick = seconds(1);  // by which a lease may be shorter where leases are counted in ticks

}  // namespace

Duration lease_beside_work(const Scenario& s, const Window& latency) {
  const Duration in_ticks = row_of(s.algorithm->service).ticks ? tick : Duration{};
  Duration least = for_ever;
  for (const ClientSpec& client : s.clients) {
    Duration left = client.plan.lease.value_or(s.algorithm->lease) - in_ticks;
    for (const Work& step : client.plan.work) {
      left -= step.kind == Work::Kind::hold ? step.lasts : 2 * latency.most;
    }
    // A rival gets the lock as long after the lease began to run as the holder does: its answer takes the least time.
    least = std::min(least, left - (latency.most - latency.least));
  }
  return least;
}

}  // namespace lockproof::harness
