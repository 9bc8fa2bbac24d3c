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

/// It is between the two: a partition that cuts one off from the other cuts it off from the sentinel.
bool World::hears(HostIndex server, HostIndex other) const {
  const Server& heard = *servers_[static_cast<std::size_t>(server - first_server())];
  const auto between = [&](const Cut& cut) {
    const bool same = (cut.from == server && cut.to == other) || (cut.from == other && cut.to == server);
    return same && !cut.stall && cut.until > now_;
  };
  return heard.pauses == 0 && !heard.down && std::ranges::none_of(cuts_, between);
}

/// Updates since when each sentinel has not heard its master, and since when it has heard the old one again.
void World::listen_for_masters() {
  for (Sentinel& sentinel : sentinels_) {
    const HostIndex watched = sentinel.demotes ? sentinel.other : sentinel.master;
    const HostIndex beside = sentinel.demotes ? sentinel.master : sentinel.other;
    const bool waits = hears(watched, beside) == sentinel.demotes;
    if (!waits) sentinel.since.reset();
    if (waits && !sentinel.since) sentinel.since = now_;
  }
}

void World::offer_sentinels() {
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    const Sentinel& sentinel = sentinels_[i];
    if (!sentinel.since) continue;
    const Server& other = *servers_[static_cast<std::size_t>(sentinel.other - first_server())];
    const bool follows = other.master == sentinel.master && !other.down && other.pauses == 0;
    if (sentinel.demotes || follows) offer(*sentinel.since + sentinel.after(), {Candidate::Kind::sentinel, i});
  }
}

void World::decide(std::size_t index) {
  Sentinel& sentinel = sentinels_[index];
  const Duration unheard = now_ - sentinel.since.value_or(now_);
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
  for (const auto& process : processes_) process->redirect(old, master);
  turn(old, master);
}

}  // namespace lockproof::sim
