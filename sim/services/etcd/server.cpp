// SPDX-License-Identifier: Apache-2.0
#include "sim/services/etcd/server.hpp"
#include "sim/world/requests/request_rule.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockproof::sim::etcd {

using harness::Change;
using harness::Effect;
using harness::HostIndex;

namespace {

constexpr std::int64_t second_us = 1'000'000, second_ms = 1'000;
constexpr std::int64_t scan_us = 500'000;                // between two looks for leases that are over
constexpr std::int64_t ttl_least_s = 2, election_s = 1;  // at etcd's own settings
constexpr std::int64_t looks_again_ms = 3 * second_ms;   // at a lease that was not over when it should have been

const Reply no_such_lease = Reply::error("NOLEASE"), unknown = Reply::error("UNIMPLEMENTED");

constexpr RequestRule requests[] = {{"LEASE-GRANT", 2, 2}, {"LEASE-KEEPALIVE", 2, 2}, {"LEASE-REVOKE", 2, 2},
                                    {"GET", 2, 2},         {"DELETE", 2, 2},          {"DELETE-IF", 3, 3},
                                    {"LAST-BEFORE", 3, 3}, {"WATCH", 3, 3},           {"PUT-IF-ABSENT", 4, 4}};

std::int64_t number(const Value& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.bytes().data(), digits.bytes().data() + digits.bytes().size(), n);
  return n;
}

std::int64_t scans_until(std::int64_t mono_us) { return mono_us / scan_us - (mono_us % scan_us < 0 ? 1 : 0); }
Push told(int connection, const std::string& key) {
  return {connection, Reply::array({Reply::bulk("event"), Reply::bulk(key)})};
}
Mono scan_instant(std::int64_t n) { return InstantAccess::make<Mono>(n * scan_us); }

}  // namespace

/// What a request runs on, and what comes of it. `effects` are of the client that asks.
struct Server::Scene {
  int connection;
  HostIndex client;
  ServerTime at;
  std::vector<Effect>& effects;
  std::vector<OwnAct>& acts;
  std::vector<Push>& pushes;
};

NodeAnswer Server::execute(const Request& request) {
  NodeAnswer executed{unknown};
  executed.lacks = describe_lack(requests, "etcd", request.command);
  if (!executed.lacks.empty()) return executed;
  const Scene scene{request.connection, request.client, request.at, executed.effects, executed.acts, executed.pushes};
  std::optional<Reply> reply = run(scene, request.command.args());
  executed.waits = !reply;
  executed.asks_replicas = false;
  if (reply) executed.reply = *std::move(reply);
  return executed;
}

std::optional<Reply> Server::run(const Scene& scene, const Words& words) {
  const std::string& verb = words[0].bytes();
  if (verb == "LEASE-GRANT") {
    Lease lease{scene.client, std::max(number(words[1]), ttl_least_s), 0, 0};
    extend(lease, scene.at);
    return Reply::array({Reply::integer(keyspace_.grant(lease)), Reply::integer(lease.ttl_s)});
  }
  if (verb.starts_with("LEASE-")) return run_on_lease(scene, verb, number(words[1]));
  return run_on_key(scene, verb, words);
}

/// A lease that is over cannot be kept alive. Whoever tries hears so when it has ended.
std::optional<Reply> Server::run_on_lease(const Scene& scene, const std::string& verb, std::int64_t id) {
  Lease* const lease = keyspace_.lease(id);
  if (verb == "LEASE-KEEPALIVE") {
    if (!lease) return Reply::integer(0);
    if (lease->ends_us <= scene.at.mono_us) {
      waiting_.push_back({scene.connection, id});
      return std::nullopt;
    }
    extend(*lease, scene.at);
    return Reply::integer(lease->ttl_s);
  }
  if (!lease) return no_such_lease;
  const auto before = holder();
  for (const std::string& key : keyspace_.revoke(id)) deleted(scene, key);
  settle(scene, before, Change::released);
  return Reply::integer(1);
}

Reply Server::run_on_key(const Scene& scene, const std::string& verb, const Words& words) {
  const std::string& name = words[1].bytes();
  const auto found = [&](const std::string& key, std::int64_t created) {
    return Reply::array({Reply::bulk(key), Reply::integer(created), Reply::integer(keyspace_.revision())});
  };
  const Key* const key = keyspace_.key(name);
  if (verb == "GET") return key ? found(name, key->created) : Reply::nil();
  if (verb == "DELETE") return remove(scene, name);
  const std::int64_t revision = number(words[2]);
  if (verb == "DELETE-IF") return key && key->created == revision ? remove(scene, name) : Reply::integer(0);
  if (verb == "LAST-BEFORE") {
    const auto last = keyspace_.last_before(name, revision);
    return last ? found(last->first, last->second.created) : Reply::nil();
  }
  if (verb == "WATCH") return watch(scene, name, revision);
  return put_if_absent(scene, words);
}

Reply Server::put_if_absent(const Scene& scene, const Words& words) {
  const std::string& name = words[1].bytes();
  const std::int64_t lease = number(words[2]);
  const bool absent = !keyspace_.key(name);
  if (absent && lease != no_lease && !keyspace_.lease(lease)) return no_such_lease;
  const auto before = holder();
  if (absent) keyspace_.make(name, scene.client, lease);
  settle(scene, before, Change::released);
  const auto first = keyspace_.first(words[3].bytes());
  return Reply::array({Reply::integer(absent), Reply::integer(keyspace_.key(name)->created),
                       Reply::integer(first ? first->second.created : 0), Reply::integer(keyspace_.revision())});
}

Reply Server::remove(const Scene& scene, const std::string& key) {
  const auto before = holder();
  if (!keyspace_.remove(key)) return Reply::integer(0);
  deleted(scene, key);
  settle(scene, before, Change::released);
  return Reply::integer(1);
}

/// A key that was there at that revision and is not, or is another one of its name, has been deleted since.
Reply Server::watch(const Scene& scene, const std::string& key, std::int64_t from) {
  const Key* const now = keyspace_.key(key);
  if (now && now->created <= from) {
    keyspace_.watch(scene.connection, key);
  } else {
    keyspace_.end_watch(scene.connection, key);
    scene.pushes.push_back(told(scene.connection, key));
  }
  return Reply::integer(1);
}

/// Whoever watches the key is told.
void Server::deleted(const Scene& scene, const std::string& key) {
  for (const int connection : keyspace_.take_watches(key)) {
    scene.pushes.push_back(told(connection, key));
  }
}

/// For the history, the lock belongs to whoever made its key, or the one that was created first of those under it.
std::optional<Key> Server::holder() const {
  if (const Key* const own = keyspace_.key(lock_)) return *own;
  const auto first = keyspace_.first(lock_ + "/");
  return first ? std::optional(first->second) : std::nullopt;
}

void Server::settle(const Scene& scene, const std::optional<Key>& before, Change how) {
  const auto now = holder();
  if (now == before) return;
  if (before) scene.effects.push_back({how, how == Change::expired ? "expired" : "left", lock_, {}});
  if (!now) return;
  const Effect first{Change::acquired, "first", lock_, {}};
  if (now->client == scene.client) {
    scene.effects.push_back(first);
  } else {
    scene.acts.push_back({now->client, "turn", {first}});
  }
}

/// The wall clock is read in whole milliseconds, and must not show the instant before the other clock does.
void Server::extend(Lease& lease, const ServerTime& at, std::int64_t further_s) {
  lease.ends_us = at.mono_us + (lease.ttl_s + further_s) * second_us;
  lease.look_ms = at.wall_ms + 1 + (lease.ttl_s + further_s) * second_ms;
}

Duration Server::scan_for(const Lease& lease, const HostClocks& clocks) {
  const Duration looks = clocks.when_past(lease.look_ms - 1);
  if (looks == Duration::max()) return looks;
  const std::int64_t mono_us = InstantAccess::us(clocks.mono(looks));
  return clocks.when(scan_instant(scans_until(mono_us - 1) + 1));
}

std::optional<Duration> Server::due(const HostClocks& clocks) const {
  std::optional<Duration> next;
  for (const auto& [id, lease] : keyspace_.leases()) {
    const Duration scan = scan_for(lease, clocks);
    next = std::min(next.value_or(scan), scan);
  }
  return down_ ? std::nullopt : next;
}

/// The end of a lease without keys leaves no trace.
ServiceModel::OwnActs Server::act(const ServerTime& at) {
  OwnActs acted;
  std::vector<std::int64_t> over;
  for (auto& [id, lease] : keyspace_.leases()) {
    if (at.wall_ms < lease.look_ms) continue;
    lease.look_ms = at.wall_ms + looks_again_ms;
    if (lease.ends_us <= at.mono_us) over.push_back(id);
  }
  for (const std::int64_t id : over) {
    const HostIndex client = keyspace_.lease(id)->client;
    OwnAct end{client, "lease-end", {}};
    std::vector<OwnAct> then;
    const Scene scene{0, client, at, end.effects, then, acted.pushes};
    const auto before = holder();
    const std::vector<std::string> gone = keyspace_.revoke(id);
    for (const std::string& key : gone) {
      if (key != lock_) end.effects.push_back({Change::expired, "deleted", key, {}});
      deleted(scene, key);
    }
    settle(scene, before, Change::expired);
    if (!gone.empty()) acted.acts.push_back(std::move(end));
    std::ranges::move(then, std::back_inserter(acted.acts));
  }
  return acted;
}

std::vector<ServiceModel::Answer> Server::on_timer(const ServerTime& /*at*/) {
  std::vector<Answer> answers;
  std::erase_if(waiting_, [&](const PendingKeepAlive& waiting) {
    const bool ended = !keyspace_.lease(waiting.lease);
    if (ended) answers.push_back({waiting.connection, Reply::integer(0)});
    return ended;
  });
  return answers;
}

void Server::disconnected(int connection) {
  keyspace_.forget(connection);
  std::erase_if(waiting_, [&](const PendingKeepAlive& waiting) { return waiting.connection == connection; });
}

std::vector<Effect> Server::stop(bool /*without_warning*/, const ServerTime& /*at*/) {
  down_ = true;
  keyspace_.forget_watches();
  waiting_.clear();
  return {};
}

/// It elects itself, and as a new leader gives all leases their whole time again, and that of an election.
void Server::restart(const ServerTime& at) {
  down_ = false;
  for (auto& [id, lease] : keyspace_.leases()) extend(lease, at, election_s);
}

/// Ids of leases and revisions occur in names and in messages, and are written unchanged.
void Server::encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
                    std::int64_t /*over_at_most_ms*/) const {
  into.number((scans_until(at.mono_us) + 1) * scan_us - at.mono_us);
  into.number(keyspace_.revision());
  into.number(keyspace_.granted());
  into.number(static_cast<std::int64_t>(keyspace_.leases().size()));
  for (const auto& [id, lease] : keyspace_.leases()) {
    into.number(id);
    into.number(lease.client);
    into.number(lease.ttl_s);
    into.number(std::max<std::int64_t>(lease.ends_us - at.mono_us, 0));
    into.number(std::max<std::int64_t>(lease.look_ms - at.wall_ms, -scan_us / 1000));  // if earlier, it scans at once
  }
  into.number(static_cast<std::int64_t>(keyspace_.keys().size()));
  for (const auto& [name, key] : keyspace_.keys()) {
    into.value(name, at.wall_ms);
    into.number(key.client);
    into.number(key.lease);
    into.number(key.created);
  }
  const auto connected = [&](int connection) {
    const auto known = connections.find(connection);
    if (known != connections.end()) into.number(known->second);
    return known != connections.end();
  };
  for (const Watch& watch : keyspace_.watches()) {
    if (connected(watch.connection)) into.value(watch.key, at.wall_ms);
  }
  for (const PendingKeepAlive& waiting : waiting_) {
    if (connected(waiting.connection)) into.number(waiting.lease);
  }
}

void Server::residual(StateEncoder& into, const ServerTime& /*at*/, bool with_leased) const {
  into.number(std::ranges::count_if(keyspace_.keys(),
                                    [&](const auto& entry) { return with_leased || entry.second.lease == no_lease; }));
}

Duration Server::longest_lease(const ServerTime& at) const {
  Duration longest{};
  for (const auto& [id, lease] : keyspace_.leases()) {
    if (keyspace_.has_keys(id)) longest = std::max(longest, Duration(lease.ends_us + scan_us - at.mono_us));
  }
  return longest;
}

void Server::each_reading(const HostClocks& clocks, const std::function<void(Duration)>& add_instant) const {
  for (const auto& [id, lease] : keyspace_.leases()) {
    add_instant(clocks.when(InstantAccess::make<Mono>(lease.ends_us)));
    add_instant(scan_for(lease, clocks));
  }
}

std::optional<Recurrence> Server::ticks(const HostClocks& clocks, const ServerTime& at) const {
  const std::int64_t scan = scans_until(at.mono_us);
  const Duration next = clocks.when(scan_instant(scan + 1));
  return Recurrence{next, clocks.when(scan_instant(scan + 2)) - next};
}

}  // namespace lockproof::sim::etcd
