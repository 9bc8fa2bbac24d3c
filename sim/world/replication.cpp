// SPDX-License-Identifier: Apache-2.0
// The part of World for what servers send to each other: commands to replicas, and the replicas' reports to their
// masters.
#include <algorithm>
#include <utility>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

/// A master answers its client first; its replicas run the command some time later. That is what a failover loses. If a
/// fault strikes right after a command and has commands for the replicas, these come behind it.
void World::replicate(HostIndex master, std::vector<Command> commands) {
  std::vector<Command> unsent = std::exchange(server_at(master).unsent, {});
  commands.insert(commands.begin(), unsent.begin(), unsent.end());
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const Server& replica = *servers_[i];
    if (replica.master != master || !replica.linked) continue;
    for (const Command& command : commands) replicate_to(i, command);
  }
}

void World::replicate_to(std::size_t index, const Command& command) {
  Server& replica = *servers_[index];
  Message message{.number = ++replica.replicated, .command = command, .reply = std::nullopt};
  const Duration way = replication_latency(message, replica.master, first_server() + static_cast<HostIndex>(index));
  replica.replication.push(std::move(message), now_ + way);
}

Duration World::replication_latency(const Message& message, HostIndex from, HostIndex to) {
  const harness::Window& window = scenario_.network.replication;
  if (window.most == window.least) return window.least;
  return chooser_.duration(window, scenario_.grid, [&](std::size_t) {
    return harness::EventName{.kind = harness::EventName::Kind::message,
                              .actor = name(from),
                              .peer = name(to),
                              .verb = std::string(message.command.verb()),
                              .occurrence = message.number};
  });
}

void World::apply(std::size_t index) {
  Server& replica = *servers_[index];
  const Message message = replica.replication.take();
  if (message.command.verb() == "REPLCONF") return say(index, "ACK");
  harness::Event event{.what = What::replicate};
  event.peer = replica.master;
  event.command = message.command;
  event.effects = message.command.verb() == "FULLRESYNC"
                      ? replica.as_replicated().load_copy(replica.time(now_))
                      : replica.as_replicated().run_propagated(message.command, replica.time(now_));
  note(first_server() + static_cast<HostIndex>(index), replica.clocks, std::move(event));
}

/// Sends a report of a replica to its master.
void World::say(std::size_t index, const char* verb) {
  Server& replica = *servers_[index];
  if (replica.master == harness::no_host || server_at(replica.master).down) return;
  Message message{.number = ++replica.said, .command = Command({verb}), .reply = std::nullopt};
  const Duration way = replication_latency(message, first_server() + static_cast<HostIndex>(index), replica.master);
  replica.words.push(std::move(message), now_ + way);
}

/// A master hears from its replica: it has all that was sent before it was asked, or wants a copy of everything. From
/// the copy on it follows, and counts as heard from (replication.c, replicaPutOnline).
void World::hear(std::size_t index) {
  Server& replica = *servers_[index];
  const HostIndex host = first_server() + static_cast<HostIndex>(index), master_host = replica.master;
  const Message message = replica.words.take();
  const Server& master = server_at(master_host);
  if (message.command.verb() == "ACK") {
    master.as_replicated().acknowledged(host);
    return unblock(master_host);
  }
  replica.linked = true;
  replica.silent.reset();
  replica.as_replicated().send_copy(*master.model);
  const bool is_asked = master.as_replicated().follow(host);
  harness::Event event{.what = What::copy};
  event.peer = host;
  note(master_host, master.clocks, std::move(event));
  replicate_to(index, Command({"FULLRESYNC"}));
  if (is_asked) replicate_to(index, Command({"REPLCONF", "GETACK", "*"}));
}

/// A server is up again: it asks its master for a copy, and its replicas ask it.
void World::link_up(HostIndex host) {
  ask_for_copy(static_cast<std::size_t>(host - first_server()));
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i]->master == host) ask_for_copy(i);
  }
}

/// For a replica that has no link to its master, and has not asked for one. A paused one asks on waking.
void World::ask_for_copy(std::size_t index) {
  const Server& replica = *servers_[index];
  const auto& words = replica.words.messages();
  const bool asked = std::ranges::any_of(words, [](const Message& word) { return word.command.verb() == "PSYNC"; });
  if (replica.master == harness::no_host || replica.down || replica.pauses > 0 || replica.linked || asked) return;
  say(index, "PSYNC");
}

/// A replica gets another master: commands from the old one that it has not run are lost.
void World::turn(HostIndex replica, HostIndex master) {
  Server& server = server_at(replica);
  unlink(server);
  server.master = master;
  ask_for_copy(static_cast<std::size_t>(replica - first_server()));
}

/// What it had sent to its replicas before it went down still arrives, except a copy, which is of no use when it is
/// incomplete; messages under way to it are lost.
void World::link_down(HostIndex host) {
  unlink(server_at(host));
  for (const auto& replica : servers_) {
    if (replica->master != host) continue;
    replica->linked = false;
    replica->words.clear();
    if (replica->as_replicated().lose_copy()) replica->replication.clear();
  }
}

/// For a replica: no message from its master arrives any more, and the master notices.
void World::unlink(Server& replica) {
  if (replica.master == harness::no_host) return;
  replica.linked = false;
  replica.replication.forget();
  replica.words.forget();
  replica.as_replicated().lose_copy();
  server_at(replica.master).as_replicated().unfollow(history_.host_named(replica.name));
}

bool World::is_silent(const Server& replica) const {
  return replica.pauses > 0 || replica.down || !replica.linked || replica.as_replicated().copy_is_coming() ||
         is_cut(history_.host_named(replica.name), replica.master);
}

/// At this instant. A partition ends without an event, so when it was noticed must not matter.
std::optional<Duration> World::silent_since(const Server& replica) const {
  return replica.master != harness::no_host && is_silent(replica) ? replica.silent : std::nullopt;
}

/// Updates since when a master has heard nothing from each of its replicas.
void World::listen() {
  for (const auto& replica : servers_) {
    if (replica->master == harness::no_host) continue;
    const bool silent = is_silent(*replica);
    if (!silent) replica->silent.reset();
    if (silent && !replica->silent) replica->silent = now_;
  }
}

/// Before an event, which may cut off again what a partition has let go.
void World::look_at_ended_cuts() {
  for (Sentinel& sentinel : sentinels_) sentinel.since = waits_since(sentinel);
  for (const auto& replica : servers_) {
    if (listens_) replica->silent = silent_since(*replica);
  }
}

/// Sets for a master which of its replicas it has heard from recently enough.
void World::look_at_followers(HostIndex master) {
  const auto index = static_cast<std::size_t>(master - first_server());
  if (index >= scenario_.servers.size() || scenario_.servers[index].min_replicas_to_write == 0) return;
  listen();
  const Duration longest = scenario_.servers[index].min_replicas_max_lag;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i]->master != master) continue;
    const auto since = silent_since(*servers_[i]);
    servers_[index]->as_replicated().set_good(first_server() + static_cast<HostIndex>(i),
                                              !since || now_ - *since <= longest);
  }
}

}  // namespace lockproof::sim
