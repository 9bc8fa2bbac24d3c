// SPDX-License-Identifier: Apache-2.0
#include "search/engines/either_engine.hpp"

#include <utility>

#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"

namespace lockproof::sim {
namespace {

template <class Key>
void add_better(std::map<Key, ShortestViolation>& into, std::map<Key, ShortestViolation> more) {
  for (auto& [way, broken] : more) {
    const auto known = into.find(way);
    if (known == into.end() || broken.faults < known->second.faults) into.insert_or_assign(way, std::move(broken));
  }
}

}  // namespace

EitherExploration explore_with_either(const harness::Scenario& scenario, const harness::Bounds& budget,
                                      const Limits& limits,
                                      const std::function<void(const std::string& why)>& changes) {
  const auto reexecute = [&](const std::string& why) -> EitherExploration {
    if (changes) changes(why);
    return {explore_by_reexecution(scenario, budget, limits), why};
  };
  const std::string refused = stateful_engine_refuses(scenario, budget);
  if (!refused.empty()) return reexecute(refused);
  Exploration stateful = explore_stateful(scenario, budget, limits);
  if (stateful.unrepresentable.empty()) return {std::move(stateful), ""};
  EitherExploration either = reexecute("every state: " + stateful.unrepresentable);
  add_better(either.found.broken, std::move(stateful.broken));
  add_better(either.found.by_faults, std::move(stateful.by_faults));
  keep_fewest(either.found);
  return either;
}

}  // namespace lockproof::sim
