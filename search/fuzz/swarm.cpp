// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/swarm.hpp"

#include <algorithm>

#include "search/fuzz/random.hpp"

namespace lockproof::sim {

Means swarm(const harness::Scenario& scenario, const harness::Bounds* budget, const Survey& survey,
            std::uint64_t seed) {
  RandomBits bits(mixed(seed, "swarm"));
  Means means;
  std::uint64_t occasions = 0;
  if (budget) {
    means.some = *budget;
    means.some->budget.clear();
    for (std::size_t i = 0; i < budget->budget.size(); ++i) {
      if (bits.below(2) == 0) continue;
      means.some->budget.push_back(budget->budget[i]);
      occasions += survey.occasions_of[i];
    }
    occasions = std::min(occasions, survey.occasions);
  }
  const auto habit = [&](auto last) {
    return static_cast<decltype(last)>(bits.below(static_cast<unsigned>(last) + 1));
  };
  const Habit habits{habit(Habit::Ties::by_thread), habit(Habit::Durations::least)};
  means.chooser = std::make_unique<SamplingChooser>(
      scenario, seed, habits,
      StrikePlan(mixed(seed, "swarm"), strikes_of(means.some ? &*means.some : nullptr, occasions)));
  return means;
}

}  // namespace lockproof::sim
