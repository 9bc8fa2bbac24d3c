// SPDX-License-Identifier: Apache-2.0
#include "execution/compare/best_lock.hpp"

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::FaultKind;

Duration work_of(const harness::Scenario& scenario) {
  Duration longest{};
  for (const harness::ClientSpec& client : scenario.clients) {
    Duration all{};
    for (const harness::Work& step : client.plan.work) all += step.lasts;
    longest = std::max(longest, all);
  }
  return longest;
}

void raise(std::optional<Duration>& most, Duration to) {
  if (to > Duration{}) most = std::max(most.value_or(to), to);
}

/// The longest of each kind of trouble that a review knows.
void add_troubles(const harness::Scenario& scenario, const harness::Bounds& bounds, Review& review) {
  const auto names = scenario.host_names(true, false);
  review.crashes = review.failovers = false;
  for (const harness::BudgetedFault& entry : bounds.budget) {
    for (const harness::Fault& form : entry.forms) {
      const bool of_client = std::ranges::find(names, form.target) != names.end();
      if (harness::stands_still(form.kind) && of_client) raise(review.pause, form.lasts);
      if (form.kind == FaultKind::partition) raise(review.network, form.lasts);
      if (form.kind == FaultKind::delay) raise(review.network, form.by);
      if (form.kind == FaultKind::clock_jump) raise(review.clock_jump, std::chrono::abs(form.by));
      if (form.kind == FaultKind::clock_rate)
        review.clock_rate_ppb = std::max(review.clock_rate_ppb, std::abs(form.rate_ppb));
      review.crashes |= form.kind == FaultKind::crash || form.kind == FaultKind::kill_task;
      review.failovers |= form.kind == FaultKind::failover;
      review.evicts |= form.kind == FaultKind::evict;
    }
  }
}

Review review_of(const harness::Scenario& scenario, const harness::Bounds& bounds) {
  Review review;
  review.file = review.name = scenario.name;
  review.service = scenario.algorithm->service;
  review.masters = 0;
  for (const harness::ServerSpec& server : scenario.servers) {
    server.replica_of.empty() ? ++review.masters : ++review.replicas;
    review.persistence = std::max(review.persistence, server.persistence);
  }
  if (!scenario.sentinels.empty()) review.down_after = scenario.sentinels.front().down_after;
  review.competitors = static_cast<int>(scenario.clients.size());
  const Duration work = work_of(scenario);
  review.work = {work, work};
  if (const auto& lease = scenario.clients.front().plan.lease) review.lease = *lease;
  review.must_not = of_faults;
  add_troubles(scenario, bounds, review);
  for (const Algorithm& algorithm : catalogue()) review.locks.emplace_back(&algorithm);
  return review;
}

}  // namespace

harness::AlgorithmRef best_lock(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                const ReviewOrder& order) {
  const Review review = review_of(scenario, bounds);
  const std::vector<harness::AlgorithmRef> ranked = Reviewer(review, order).rank();
  if (ranked.empty()) {
    throw harness::InputError("best", 0,
                              "there is no lock of the catalogue for the servers of " + scenario.name + " to rank");
  }
  return ranked.front();
}

}  // namespace lockproof::execution
