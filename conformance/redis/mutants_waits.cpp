// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "conformance/redis/mutant_parts.hpp"

namespace lockproof::conformance::redis {
namespace {

bool client(const IncomingCommand& asked, std::string_view subcommand) {
  const Words& words = asked.command.args();
  return verb(asked, "CLIENT") && words.size() > 1 && is_word(words[1], subcommand);
}

NodeAnswer wait_does_not_wait(Node& node, const IncomingCommand& asked) {
  Words words = asked.command.args();
  if (verb(asked, "WAIT") && words.size() == 3 && sim::redis::integer(words[1]).value_or(0) > 0) words[1] = "0";
  return with(node, asked, std::move(words));
}

NodeAnswer pause_stops_all(Node& node, const IncomingCommand& asked) {
  Words words = asked.command.args();
  if (client(asked, "PAUSE") && words.size() == 4 && is_word(words[3], "WRITE")) words[3] = "ALL";
  return with(node, asked, std::move(words));
}

/// The same, as if nothing were paused.
NodeAnswer unpaused(Node& node, const IncomingCommand& asked) {
  const auto pause = node.state().pause;
  if (!pause || pause->all || client(asked, "PAUSE") || client(asked, "UNPAUSE")) return plain(node, asked);
  (void)with(node, asked, {"CLIENT", "UNPAUSE"});
  NodeAnswer executed = plain(node, asked);
  (void)with(node, asked, {"CLIENT", "PAUSE", Value::number(pause->end_ms - asked.now_ms), "WRITE"});
  return executed;
}

/// For reads, which CLIENT PAUSE WRITE never postpones.
NodeAnswer pause_expires(Node& node, const IncomingCommand& asked) {
  constexpr std::array reads{"EXISTS", "GET", "HEXISTS", "HGET", "HGETALL", "HLEN", "PTTL", "STRLEN", "TTL", "TYPE"};
  const bool read = std::ranges::any_of(reads, [&](const char* name) { return verb(asked, name); });
  const bool passes = node.state().pause && !node.state().pause->all && !in_multi(node, asked);
  return read && passes ? unpaused(node, asked) : plain(node, asked);
}

NodeAnswer pause_lets_publish(Node& node, const IncomingCommand& asked) {
  return verb(asked, "PUBLISH") ? unpaused(node, asked) : plain(node, asked);
}

NodeAnswer pause_shortens(Node& node, const IncomingCommand& asked) {
  if (client(asked, "PAUSE") && !in_multi(node, asked) && node.state().pause && !node.state().pause->all) {
    (void)with(node, asked, {"CLIENT", "UNPAUSE"});
  }
  return plain(node, asked);
}

NodeAnswer unpause_ignored(Node& node, const IncomingCommand& asked) {
  const bool ends = client(asked, "UNPAUSE") && asked.command.args().size() == 2 && !in_multi(node, asked);
  return ends && !node.state().sessions.subscribed(asked.connection) ? NodeAnswer{Reply::status("OK")}
                                                                     : plain(node, asked);
}

NodeAnswer scripts_need_no_replicas(Node& node, const IncomingCommand& asked) {
  const int least = node.state().min_replicas;
  if (verb(asked, "EVAL")) node.set_min_replicas(0);
  NodeAnswer executed = plain(node, asked);
  node.set_min_replicas(least);
  return executed;
}

constexpr std::array of_waits{
    Mutant{"wait-does-not-wait", "WAIT waits for replicas, or for its time to pass", wait_does_not_wait},
    Mutant{"wait-counts-all", "WAIT counts the replicas that have acknowledged",
           [](Node& n, const IncomingCommand& a) { return answering(n, a, "WAIT", plus_one); }},
    Mutant{"wait-takes-any-time", "a time to wait is not negative",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "timeout is negative", Reply::integer(0)); }},
    Mutant{"pause-stops-all", "CLIENT PAUSE WRITE lets reads pass", pause_stops_all},
    Mutant{"pause-expires", "nothing expires during a CLIENT PAUSE", pause_expires},
    Mutant{"pause-lets-publish", "CLIENT PAUSE WRITE stops what replicas may hear", pause_lets_publish},
    Mutant{"pause-shortens", "a second CLIENT PAUSE does not shorten the first", pause_shortens},
    Mutant{"pause-takes-any-mode", "CLIENT PAUSE knows WRITE and ALL",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "CLIENT PAUSE mode", Reply::status(ok)); }},
    Mutant{"unpause-ignored", "CLIENT UNPAUSE", unpause_ignored},
    Mutant{"min-replicas-ignored", "min-replicas-to-write",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "NOREPLICAS", Reply::nil()); }},
    Mutant{"scripts-need-no-replicas", "min-replicas-to-write is for scripts too", scripts_need_no_replicas},
};

}  // namespace

std::span<const Mutant> wait_mutants() { return of_waits; }

}  // namespace lockproof::conformance::redis
