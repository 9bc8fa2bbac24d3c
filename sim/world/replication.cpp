// SPDX-License-Identifier: Apache-2.0
// World's part that moves what servers send by themselves: commands to replicas, and messages to subscribers.
#include <algorithm>
#include <utility>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

/// A master answers its client first; its replicas run the command some time later. That is what a failover loses.
void World::replicate(HostIndex master, const std::vector<Command>& commands) {
  for (const auto& replica : servers_) {
    if (replica->master != master || replica->down) continue;
    for (const Command& command : commands) {
      Message message{.command = command, .reply = std::nullopt};
      message.number = ++replica->replicated;
      const harness::Window& window = scenario_.network.replication;
      Duration way = window.least;
      if (window.most - window.least >= scenario_.grid) {
        way = chooser_.duration(window, scenario_.grid, [&](std::size_t) {
          return harness::EventName{.kind = harness::EventName::Kind::message,
                                    .actor = name(master),
                                    .peer = replica->name,
                                    .verb = std::string(command.verb()),
                                    .occurrence = message.number};
        });
      }
      replica->replication.push(std::move(message), now_ + way);
    }
  }
}

void World::apply(std::size_t index) {
  Server& replica = *servers_[index];
  const Message message = replica.replication.take();
  Executed applied = replica.redis().apply(message.command, replica.clocks.wall_ms(now_));
  harness::Event event{.what = What::replicate};
  event.peer = replica.master;
  event.command = message.command;
  event.effects = std::move(applied.effects);
  note(first_server() + static_cast<HostIndex>(index), replica.clocks, std::move(event));
}

void World::push(const std::vector<Push>& pushes) {
  for (const Push& sent : pushes) {
    const auto to = std::ranges::find_if(connections_, [&](const auto& c) { return c->number == sent.connection; });
    if (to == connections_.end() || (*to)->closed) continue;
    Message message{.command = Command(std::vector<Value>{"MESSAGE"}), .reply = sent.message};
    message.push = true;
    message.round = 1;
    message.occurrence = ++(*to)->pushed;
    const Duration way = latency(**to, message);
    (*to)->replies.push(std::move(message), now_ + way);
  }
}

}  // namespace lockproof::sim
