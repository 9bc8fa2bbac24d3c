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

}  // namespace lockproof::sim
