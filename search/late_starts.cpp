// SPDX-License-Identifier: Apache-2.0
#include "search/late_starts.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace lockproof::search {
namespace {

/// Billionths; 0: it lets no clock drift for the whole run.
std::int64_t drift_of(const harness::Fault& fault) {
  const bool lasts = fault.lasts == Duration{} && !fault.when;
  return fault.kind == harness::FaultKind::clock_rate && lasts ? std::abs(fault.rate_ppb) : 0;
}

}  // namespace

std::vector<Duration> late_starts(const harness::Scenario& searched, const harness::Bounds& bounds) {
  constexpr std::int64_t billion = 1'000'000'000;
  std::optional<std::int64_t> slowest;
  const auto include = [&](const harness::Fault& fault) {
    const std::int64_t drift = drift_of(fault);
    if (drift != 0) slowest = std::min(slowest.value_or(drift), drift);
  };
  std::ranges::for_each(searched.faults, include);
  for (const harness::BudgetedFault& entry : bounds.budget) std::ranges::for_each(entry.forms, include);
  const auto may_wait = [](const harness::ClientSpec& client) {
    return client.plan.asking == harness::AskPolicy::freely && !client.plan.start_latest;
  };
  if (!slowest || !std::ranges::all_of(searched.clients, may_wait)) return {};
  Duration lease{};
  for (const harness::ClientSpec& client : searched.clients) {
    lease = std::max(lease, Duration(client.plan.lease.value_or(searched.algorithm->lease)));
  }
  std::vector<Duration> starts;
  for (const Duration apart : {lease / 2, lease * 2}) {
    constexpr std::int64_t second = 1'000'000;
    const std::int64_t start =
        apart.count() / *slowest * (billion / second) + apart.count() % *slowest * (billion / second) / *slowest;
    if (start > 0 && seconds(start) <= std::chrono::hours(24)) starts.emplace_back(seconds(start));
  }
  return starts;
}

void start_late(harness::Scenario& scenario, harness::Bounds& bounds, Duration start) {
  for (harness::ClientSpec& client : scenario.clients) client.plan.start += start;
  if (bounds.start) *bounds.start += start;
  scenario.horizon += start;
  if (bounds.max_faults > 1 || std::ranges::any_of(scenario.faults, drift_of)) return;
  std::erase_if(bounds.budget,
                [](const harness::BudgetedFault& entry) { return std::ranges::none_of(entry.forms, drift_of); });
}

}  // namespace lockproof::search
