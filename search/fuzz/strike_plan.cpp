// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/strike_plan.hpp"

#include <algorithm>

namespace lockproof::sim {

Strikes strikes_of(const harness::Bounds* budget, std::uint64_t occasions) {
  if (!budget || budget->budget.empty()) return {};
  const auto at_start = std::ranges::count_if(budget->budget, [](const harness::BudgetedFault& entry) {
    return entry.kind == harness::FaultKind::clock_rate && entry.forms.front().lasts == Duration{};
  });
  return {budget->max_faults, std::max<std::uint64_t>(occasions, 1), budget->budget.size(),
          static_cast<std::uint64_t>(at_start)};
}

StrikePlan::StrikePlan(std::uint64_t seed, const Strikes& strikes) : bits_(mixed(seed, "strikes")) {
  constexpr std::uint64_t one_in_none = 8, one_in_later = 4, latest = std::uint64_t{1} << 40;
  if (strikes.most == 0 || bits_.below(one_in_none) == 0) return;
  for (auto left = 1 + bits_.below(static_cast<std::uint64_t>(strikes.most)); left > 0; --left) {
    std::uint64_t until = strikes.occasions;
    while (until < latest && bits_.below(one_in_later) == 0) until *= 2;
    const std::uint64_t at = bits_.below(until);
    at_.insert(bits_.below(strikes.kinds) < strikes.at_start ? 0 : at);
  }
}

std::size_t StrikePlan::strike(std::size_t count) {
  const bool strikes = at_.erase(asked_++) > 0;
  return strikes ? 1 + static_cast<std::size_t>(bits_.below(count)) : 0;
}

}  // namespace lockproof::sim
