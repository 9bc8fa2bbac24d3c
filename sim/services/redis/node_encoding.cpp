// SPDX-License-Identifier: Apache-2.0
// The part of Node for the search: the state that decides its behaviour, and what a later client would find.
#include <algorithm>

#include "algorithms/port/clock.hpp"
#include "sim/services/redis/node.hpp"

namespace lockproof::sim::redis {
namespace {

/// `over_at_most_ms`: if a lease is over and its key has not been looked at since, the time since then does not matter
/// beyond this.
void encode_keys(StateEncoder& into, const Dataset& keys, std::int64_t wall_ms, std::int64_t over_at_most_ms) {
  into.number(static_cast<std::int64_t>(keys.entries().size()));
  for (const auto& [key, entry] : keys.entries()) {
    into.text(key);
    into.number(entry.expires_ms ? std::max(*entry.expires_ms - wall_ms, -over_at_most_ms) * 2 : 1);
    if (const Value* string = entry.string()) {
      into.number(-1);
      into.value(*string, wall_ms);
      continue;
    }
    into.number(static_cast<std::int64_t>(entry.hash()->size()));
    for (const auto& [field, value] : *entry.hash()) into.value(field, wall_ms), into.value(value, wall_ms);
  }
}

void encode_sessions(StateEncoder& into, const Sessions& sessions, const std::map<int, int>& numbers,
                     std::int64_t wall_ms) {
  std::map<int, int> connections;  // in the order of the numbers that are free of history
  for (const auto& [connection, number] : numbers) connections.emplace(number, connection);
  for (const auto& [number, connection] : connections) {
    const auto found = sessions.all().find(connection);
    if (found == sessions.all().end() || found->second == Session{}) continue;
    const Session& session = found->second;
    into.number(number);
    into.number(session.multi + 2 * session.dirty_exec + 4 * session.dirty_cas + 8 * (session.protocol == 3));
    into.number(static_cast<std::int64_t>(session.queued.size()));
    for (const Words& words : session.queued) into.command(Command(words), wall_ms);
    into.number(static_cast<std::int64_t>(session.channels.size()));
    for (const std::string& channel : session.channels) into.text(channel);
  }
  for (const Watch& watch : sessions.watches()) {
    const auto found = numbers.find(watch.connection);
    if (found == numbers.end()) continue;
    into.number(-found->second - 1);
    into.text(watch.key);
    into.number(watch.expired);
  }
}

/// What it knows about its replicas, and which commands wait.
void encode_waits(StateEncoder& into, const NodeState& node, const std::map<int, int>& numbers, std::int64_t wall_ms) {
  const ReplicaWaits waits = node.waits.canonical(wall_ms, numbers);
  into.number(static_cast<std::int64_t>(waits.open().size()));
  for (const ReplicaWait& wait : waits.open()) {
    into.number(wait.connection);
    into.number(wait.wanted);
    into.number(wait.until_ms ? *wait.until_ms * 2 : 1);
    for (const auto& [host, missing] : wait.missing) into.number(host), into.number(missing);
  }
  into.number(static_cast<std::int64_t>(waits.followers().size()));
  for (const Follower& follower : waits.followers()) into.number(follower.host), into.number(follower.asked);
  const bool paused = node.pause && node.pause->end_ms >= wall_ms;
  into.number(paused ? (node.pause->end_ms - wall_ms) * 4 + node.pause->all : -1);
}

std::optional<Wall> stamp_in(const Entry& entry) {
  const Value* const string = entry.string();
  return string && string->mark() == Value::Mark::stamp ? lockproof::Clock::read(*string) : std::nullopt;
}

}  // namespace

void Node::encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
                  std::int64_t over_at_most_ms) const {
  encode_waits(into, state_, connections, at.wall_ms);
  encode_keys(into, state_.keys, at.wall_ms, over_at_most_ms);
  encode_sessions(into, state_.sessions, connections, at.wall_ms);
  for (const auto& [sha, script] : state_.scripts) into.text(sha);
  encode_keys(into, disk_.snapshot(), at.wall_ms, over_at_most_ms);
  encode_keys(into, disk_.flushed(at.now), at.wall_ms, over_at_most_ms);
  const auto unflushed = disk_.unflushed(at.now);
  into.number(static_cast<std::int64_t>(unflushed.size()));
  for (const auto& [written, keys] : unflushed) {
    into.duration(written + disk_.unsynced() - at.now);
    encode_keys(into, keys, at.wall_ms, over_at_most_ms);
  }
  into.number(copy_.has_value());
  if (copy_) encode_keys(into, *copy_, at.wall_ms, over_at_most_ms);
}

/// A later client cannot tell who owned a key or what it held, except for a stored time that is still to come.
void Node::residual(StateEncoder& into, const ServerTime& at, bool with_leased) const {
  for (const auto& [key, entry] : state_.keys.entries()) {
    if (entry.expires_ms && (!with_leased || *entry.expires_ms < at.wall_ms)) continue;
    into.text(key);
    const auto stamp = stamp_in(entry);
    into.number(stamp ? InstantAccess::us(*stamp) / 1000 > at.wall_ms : 2);
    into.number(entry.string() == nullptr);
  }
}

Duration Node::longest_lease(const ServerTime& at) const {
  std::int64_t longest_ms = 0;
  for (const auto& [key, entry] : state_.keys.entries()) {
    if (entry.expires_ms) longest_ms = std::max(longest_ms, *entry.expires_ms - at.wall_ms);
  }
  return milliseconds(longest_ms);
}

std::optional<Duration> Node::due(const HostClocks& clocks) const {
  const auto until = waits_until();
  if (!until) return std::nullopt;
  return clocks.when_past(*until);
}

void Node::each_reading(const HostClocks& clocks, const std::function<void(Duration)>& add_instant) const {
  for (const auto& [key, entry] : state_.keys.entries()) {
    if (entry.expires_ms) add_instant(clocks.when_past(*entry.expires_ms));
  }
  if (state_.pause) add_instant(clocks.when_past(state_.pause->end_ms));
  if (const auto until = due(clocks)) add_instant(*until);
}

std::vector<std::int64_t> Node::stamps() const {
  std::vector<std::int64_t> stamps;
  for (const auto& [key, entry] : state_.keys.entries()) {
    if (const auto stamp = stamp_in(entry)) stamps.push_back(InstantAccess::us(*stamp) / 1000);
  }
  return stamps;
}

}  // namespace lockproof::sim::redis
