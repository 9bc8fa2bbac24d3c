// SPDX-License-Identifier: Apache-2.0
// World's part that tells what is left when nobody asks for the lock any more.
#include <algorithm>

#include "sim/world/identity.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

bool World::is_quiet() const {
  return std::ranges::all_of(processes_, [](const auto& p) { return p->is_over() || p->may_ask(); });
}

/// Whose a key is, and what is in it, does not matter to a newcomer, but for a time that is still to come.
std::string World::remains(std::size_t index, bool with_leased) const {
  const Server& server = *servers_[index];
  const auto* node = dynamic_cast<const redis::Node*>(server.model.get());
  if (!node) return "";
  const std::int64_t wall_ms = server.clocks.wall_ms(now_);
  Identity into;
  into.number(server.down * 2 + (server.pauses > 0));
  into.number(server.master);
  for (const auto& [key, entry] : node->keys().entries()) {
    if (entry.expires_ms && (!with_leased || *entry.expires_ms < wall_ms)) continue;
    into.text(key);
    const Value* const string = entry.string();
    const auto stamp = string && string->mark() == Value::Mark::stamp ? Clock::read(*string) : std::nullopt;
    into.number(stamp ? InstantAccess::us(*stamp) / 1000 > wall_ms : 2);
    into.number(string == nullptr);
  }
  return into.take();
}

Duration World::longest_lease() const {
  std::int64_t longest_ms = 0;
  for (const auto& server : servers_) {
    const auto* node = dynamic_cast<const redis::Node*>(server->model.get());
    if (!node) continue;
    const std::int64_t wall_ms = server->clocks.wall_ms(now_);
    for (const auto& [key, entry] : node->keys().entries()) {
      if (entry.expires_ms) longest_ms = std::max(longest_ms, *entry.expires_ms - wall_ms);
    }
  }
  return milliseconds(longest_ms);
}

}  // namespace lockproof::sim
