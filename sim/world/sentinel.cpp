// SPDX-License-Identifier: Apache-2.0
// The part of World that decides on failovers by itself: a sentinel that does not hear its master promotes a replica,
// and makes the old master a replica when it hears it again.
#include <algorithm>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

void World::add_sentinels() {
  for (const harness::SentinelSpec& spec : scenario_.sentinels) {
    sentinels_.push_back({&spec, history_.host_named(spec.master), history_.host_named(spec.promotes)});
  }
}

/// When the latest partition between the two servers of a sentinel ends, or has ended. The sentinel is between them:
/// what cuts one off from the other cuts it off from the sentinel.
Duration World::reconnected(const Sentinel& sentinel) const {
  Duration latest{};
  for (const Cut& cut : cuts_) {
    const bool between = (cut.from == sentinel.master && cut.to == sentinel.other) ||
                         (cut.from == sentinel.other && cut.to == sentinel.master);
    if (between && !cut.stall) latest = std::max(latest, cut.until);
  }
  return latest;
}

bool World::runs(const Sentinel& sentinel) const {
  const HostIndex watched = sentinel.demotes ? sentinel.other : sentinel.master;
  const Server& server = *servers_[static_cast<std::size_t>(watched - first_server())];
  return server.pauses == 0 && !server.down;
}

/// Since when it has waited to act, at this instant. A partition ends without an event, so when it was noticed must not
/// matter.
std::optional<Duration> World::waits_since(const Sentinel& sentinel) const {
  const bool hears = runs(sentinel) && reconnected(sentinel) <= now_;
  if (hears != sentinel.demotes) return std::nullopt;
  return sentinel.demotes && !sentinel.since ? reconnected(sentinel) : sentinel.since;
}

/// After an event: what it changed, it changed now.
void World::listen_for_masters() {
  for (Sentinel& sentinel : sentinels_) {
    const bool hears = runs(sentinel) && reconnected(sentinel) <= now_;
    if (hears != sentinel.demotes) sentinel.since.reset();
    if (hears == sentinel.demotes && !sentinel.since) sentinel.since = now_;
  }
}

/// When it acts if no event changes what it hears.
std::optional<Duration> World::acts_at(const Sentinel& sentinel) const {
  const Duration reconnects = reconnected(sentinel);
  if (sentinel.demotes) {
    if (!runs(sentinel)) return std::nullopt;
    return (reconnects > now_ ? reconnects : waits_since(sentinel).value_or(now_)) + sentinel.after();
  }
  const Server& other = *servers_[static_cast<std::size_t>(sentinel.other - first_server())];
  const auto since = waits_since(sentinel);
  if (!since || other.master != sentinel.master || other.down || other.pauses > 0) return std::nullopt;
  const Duration acts = *since + sentinel.after();
  return runs(sentinel) && reconnects <= acts ? std::nullopt : std::optional(acts);
}

void World::offer_sentinels() {
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    if (const auto acts = acts_at(sentinels_[i])) offer(*acts, {Candidate::Kind::sentinel, i});
  }
}

void World::decide(std::size_t index) {
  Sentinel& sentinel = sentinels_[index];
  const Duration unheard = now_ - waits_since(sentinel).value_or(now_);
  sentinel.since.reset();
  harness::Event event{.what = What::strike};
  event.word = sentinel.demotes ? "demotion" : "failover";
  if (sentinel.demotes) {
    event.peer = sentinel.master;
    note(sentinel.other, clocks(sentinel.other), std::move(event));
    demote(sentinel.other, sentinel.master);
  } else {
    event.peer = sentinel.other;
    event.value = unheard.count();
    note(sentinel.master, clocks(sentinel.master), std::move(event));
    // A client whose connection to the master has ended asks the sentinel anyway.
    const bool all_learn = sentinel.spec->to_clients.empty() || server_at(sentinel.master).down;
    promote(sentinel.master, sentinel.other, all_learn ? std::vector<std::string>() : sentinel.spec->to_clients);
    std::swap(sentinel.master, sentinel.other);
  }
  sentinel.demotes = !sentinel.demotes;
  listen_for_masters();
}

/// An old master becomes a replica: it closes its connections, and copies everything from the new one.
void World::demote(HostIndex old, HostIndex master) {
  Server& server = server_at(old);
  server.as_replicated().set_replica(true);
  reset_all(old);
  turn(old, master);
  for (HostIndex client = 0; client < first_server(); ++client) redirect(client, old, master);
}

}  // namespace lockproof::sim
