// SPDX-License-Identifier: Apache-2.0
// The part of World that says what is left when no client asks for the lock any more.
#include <algorithm>

#include "sim/world/state_encoder.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

bool World::is_quiescent() const {
  return std::ranges::all_of(processes_, [](const auto& p) { return p->is_over() || p->may_ask(); });
}

std::string World::remains(std::size_t index, bool with_leased) const {
  if (index >= scenario_.servers.size()) return "";  // the resource
  const Server& server = *servers_[index];
  StateEncoder into;
  into.number(server.down * 2 + (server.pauses > 0));
  into.number(server.master);
  server.model->residual(into, server.time(now_), with_leased);
  return into.take();
}

Duration World::longest_lease() const {
  Duration longest{};
  for (const auto& server : servers_) longest = std::max(longest, server->model->longest_lease(server->time(now_)));
  return longest;
}

bool World::in_flight(harness::HostIndex client, harness::HostIndex server, int number) const {
  const auto waits = [&](const Server::UnreadRequest& unseen) {
    return unseen.connection->client == client && unseen.request.number == number;
  };
  const Server& at = *servers_[static_cast<std::size_t>(server - first_server())];
  if (std::ranges::any_of(at.inbox, waits) || std::ranges::any_of(at.held, waits)) return true;
  const auto runs = [&](const auto& one) { return one.first->client == client && one.second.number == number; };
  if (std::ranges::any_of(at.waiting, runs)) return true;
  return std::ranges::any_of(connections_, [&](const auto& c) {
    return c->client == client && c->server == server &&
           std::ranges::find(c->requests.messages(), number, &Message::number) != c->requests.messages().end();
  });
}

}  // namespace lockproof::sim
