// SPDX-License-Identifier: Apache-2.0
#include "sim/counted_asks.hpp"

#include <algorithm>

namespace lockproof::sim {

CountedAsks::CountedAsks(World& world) : world_(world) {
  for (std::size_t i = 0; i < world.scenario().clients.size(); ++i) {
    began_.push_back(world.process(i).clocks().mono({}));
  }
}

void CountedAsks::add_new(const std::vector<harness::Step>& recorded) {
  const auto& clients = world_.scenario().clients;
  while (steps_.size() < recorded.size()) {
    harness::Step& step = steps_.emplace_back(recorded[steps_.size()]);
    if (!step.at) continue;
    const auto named = std::ranges::find(clients, step.event.actor, &harness::ClientSpec::name);
    const auto client = static_cast<std::size_t>(named - clients.begin());
    const Mono now = world_.process(client).clocks().mono(*step.at);
    step.at = Duration(InstantAccess::us(now) - InstantAccess::us(began_[client]));
  }
}

}  // namespace lockproof::sim
