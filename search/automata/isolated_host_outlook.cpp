// SPDX-License-Identifier: Apache-2.0
// The part of IsolatedHost for clients that ask for the lock when they like: what the rule for asking instants looks at
// in one host's state. World::outlook does the same for a whole world.
#include "search/automata/isolated_host.hpp"

namespace lockproof::sim {

void IsolatedHost::add_outlook(Traits& traits) {
  const auto into = [this](std::vector<Duration>& instants) {
    return [this, &instants](Duration at) {
      if (at >= world_.now_ && at < never) instants.push_back(at - world_.now_);
    };
  };
  const auto happens = into(traits.events), is_over = into(traits.readings);
  for (const World::PlannedFault& plan : world_.plans_) {
    happens(plan.at);
    if (world_.keeps_answers_back(plan)) traits.ends.push_back(plan.at - world_.now_);
    if (world_.wakes_client(plan)) traits.wakes.push_back(plan.at - world_.now_);
  }
  traits.now = world_.now_;
  if (client()) {
    traits.wants = process().may_ask();
    traits.only_tries = process().only_tries();
    if (!process().is_over()) traits.clocks = process().clocks();
    if (traits.only_tries) return;
    process().each_instant(happens);
    process().each_deadline(is_over);
    return;
  }
  for (const World::Cut& cut : world_.cuts_) {
    if (cut.until <= world_.now_) continue;
    happens(cut.until);
    traits.ends.push_back(cut.until - world_.now_);
  }
  world_.each_instant_of_servers(happens);
  for (const int index : servers()) {
    const Server& server = *world_.servers_[static_cast<std::size_t>(index)];
    server.model->each_reading(server.clocks, is_over);
    if (const auto ticks = world_.ticks_of(static_cast<std::size_t>(index))) traits.ticks.push_back(*ticks);
    for (const std::int64_t stamp : server.model->stamps()) {
      traits.stamps.push_back(stamp * 1000 - (Duration(epoch) + world_.now_).count());
    }
    traits.milliseconds.emplace_back(server.clocks.phase(world_.now_)[0]);
  }
}

}  // namespace lockproof::sim
