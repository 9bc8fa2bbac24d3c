// SPDX-License-Identifier: Apache-2.0
// Director's part between masters and replicas.
#include <fmt/format.h>

#include <algorithm>

#include "real/trace_replay/director.hpp"
#include "real/trace_replay/shown.hpp"

namespace lockproof::real {

using harness::Event;
using harness::FaultKind;
using harness::HostIndex;

/// Replicas are empty copies of empty masters then.
void Director::link_all() {
  for (const auto& server : servers_) {
    if (server->spec().replica_of.empty()) continue;
    Replica& replica = replicas_[host_of(*server)];
    replica.master = host_named(server->spec().replica_of);
    replica.link = std::make_unique<ReplicationLink>();
    replica.link->follow(this->server(replica.master).port());
    (void)server->ask({"REPLICAOF", "127.0.0.1", Value::number(replica.link->port())});
    replica.link->hand_over_copy();
  }
}

/// The replica runs the next command of its master, or gets the copy that was made for it.
Event Director::replicate(const Event& event) {
  Replica& replica = replicas_.at(event.host);
  StagedServer& at = server(event.host);
  at.set_clock(event.clocks.wall_ms);
  if (event.command->verb() == "FULLRESYNC") {
    if (!replica.next) throw NotReproducible(fmt::format("{} never made a copy", name(event.peer)));
    (void)at.ask({"REPLICAOF", "127.0.0.1", Value::number(replica.next->port())});
    replica.next->hand_over_copy();
    replica.follows = true;
    replica.link = std::move(replica.next);  // only now: a replica whose link ends would connect again
  } else {
    const std::vector<Value> passed = replica.link->pass_one();
    if (passed != event.command->args()) {
      differ(fmt::format("what {} tells {}", name(event.peer), name(event.host)), shown(event.command->args()),
             shown(passed));
    }
  }
  ++result_.replicated;
  Event enacted = event;
  compare_effects(event, at.take_effects(event.clocks.wall_ms), enacted);
  return enacted;
}

void Director::copy(const Event& event) {
  server(event.host).set_clock(event.clocks.wall_ms);
  Replica& replica = replicas_.at(event.peer);
  if (!replica.next) replica.next = std::make_unique<ReplicationLink>();
  replica.next->follow(server(event.host).port());
}

/// Messages in flight to the replica are lost with the link, and to the others too: they will get a copy from the new
/// master. A sentinel leaves the old one alone.
void Director::promote(const Event& event) {
  replicas_.erase(event.peer);
  if (!server(event.peer).down()) (void)server(event.peer).ask_awake({"REPLICAOF", "NO", "ONE"});
  for (auto& [host, replica] : replicas_) {
    if (replica.master == event.host) replica = {.master = event.peer, .follows = false, .paused = replica.paused};
  }
  const bool decided = event.fault == 0;
  if (decided || scenario_.faults.at(static_cast<std::size_t>(event.fault) - 1).old_serves) return;
  if (!server(event.host).down()) server(event.host).kill();
  unlink(event.host);
}

/// The demoted server refuses writes at once, and gets its copy later.
void Director::demote(const Event& event) {
  Replica& replica = replicas_[event.host];
  replica.master = event.peer;
  replica.next = std::make_unique<ReplicationLink>();
  (void)server(event.host).ask({"REPLICAOF", "127.0.0.1", Value::number(replica.next->port())});
}

/// Handles the end of a server's process. What it had sent to its replicas still arrives, except a copy.
void Director::unlink(HostIndex down) {
  for (auto& [host, replica] : replicas_) {
    if (host == down) replica.link.reset();
    if (host == down || replica.master == down) replica.next.reset();
    if (replica.master == down) replica.follows = false;
  }
}

void Director::bring_up(const Event& event) {
  StagedServer& server = this->server(event.host);
  const auto replica = replicas_.find(event.host);
  server.start_again(event.clocks.wall_ms, replica != replicas_.end());
  if (replica == replicas_.end()) return;
  replica->second.next = std::make_unique<ReplicationLink>();
  (void)server.ask({"REPLICAOF", "127.0.0.1", Value::number(replica->second.next->port())});
}

void Director::cut(const Event& event) {
  const harness::Fault& fault = scenario_.faults.at(static_cast<std::size_t>(event.fault) - 1);
  const auto both = [&](HostIndex peer) {
    if (fault.direction != harness::Fault::Direction::from_peer)
      cuts_.push_back({event.host, peer, event.at + fault.lasts});
    if (fault.direction != harness::Fault::Direction::to_peer)
      cuts_.push_back({peer, event.host, event.at + fault.lasts});
  };
  if (event.peer != harness::no_host) return both(event.peer);
  for (std::size_t i = 0; i < predicted_.header.hosts.size(); ++i) both(static_cast<HostIndex>(i));
}

/// Whether a master hears this replica.
bool Director::hears(HostIndex host, Duration at) const {
  const Replica& replica = replicas_.at(host);
  const bool is_cut = std::ranges::any_of(
      cuts_, [&](const Cut& cut) { return cut.from == host && cut.to == replica.master && cut.until > at; });
  return replica.link && replica.follows && replica.paused == 0 && !is_cut;
}

/// Replicas acknowledge to masters that count the replicas they hear from. On their own they do so once a second; here
/// they do when that may matter: before each command, and before a fault that may silence them.
void Director::listen(Duration at) {
  for (const auto& server : servers_) {
    if (server->spec().min_replicas_to_write == 0 || server->down() || server->stands()) continue;
    server->set_clock(server->wall_ms_at(at));
    for (const auto& [host, replica] : replicas_) {
      if (replica.master == host_of(*server) && hears(host, at)) replica.link->acknowledge();
    }
    server->look_at_replicas();
  }
}

/// Rejects what is known to be impossible.
void Director::refuse() const {
  for (const harness::ServerSpec& spec : scenario_.servers) {
    if (spec.min_replicas_to_write == 0) continue;
    if (spec.min_replicas_max_lag % seconds(1) != Duration{}) {
      throw NotReproducible("redis-server counts how long it has not heard a replica in whole seconds");
    }
    for (const harness::Fault& fault : scenario_.faults) {
      if (fault.kind == FaultKind::clock_rate && fault.target == spec.name) {
        throw NotReproducible(fmt::format("{} counts its replicas by a clock that runs at another rate", spec.name));
      }
    }
  }
}

}  // namespace lockproof::real
