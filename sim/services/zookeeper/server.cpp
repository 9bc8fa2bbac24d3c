// SPDX-License-Identifier: Apache-2.0
#include "sim/services/zookeeper/server.hpp"
#include "sim/world/requests/request_rule.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockproof::sim::zookeeper {

using harness::Change;
using harness::Effect;
using harness::HostIndex;

namespace {

constexpr int ticks_least = 2, ticks_most = 20;  // of a session's time-out: minSessionTimeout, maxSessionTimeout

const Reply expired = Reply::error("SESSIONEXPIRED"), no_node = Reply::error("NONODE"),
            unknown = Reply::error("UNIMPLEMENTED");

constexpr RequestRule requests[] = {{"CONNECT", 2, 2}, {"PING", 2, 2},   {"CLOSE", 2, 2},  {"SYNC", 3, 3},
                                    {"CREATE", 4, 4},  {"DELETE", 3, 3}, {"EXISTS", 3, 4}, {"CHILDREN", 3, 3}};

std::int64_t number(const Value& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.bytes().data(), digits.bytes().data() + digits.bytes().size(), n);
  return n;
}

}  // namespace

/// What a request runs on, and what comes of it. `effects` are of the client that asks.
struct Server::Scene {
  int connection;
  HostIndex client;
  ServerTime at;
  std::vector<Effect>& effects;
  std::vector<OwnAct>& acts;
  std::vector<Push>& pushes;
  std::vector<int>& closes;
  std::vector<std::string>& changed;
};

NodeAnswer Server::execute(const Request& request) {
  NodeAnswer executed{unknown};
  executed.lacks = describe_lack(requests, "ZooKeeper", request.command);
  if (!executed.lacks.empty()) return executed;
  executed.refuses = standing_ == Standing::out;
  executed.postponed = standing_ == Standing::apart && needs_leader(request);
  if (executed.refuses || executed.postponed) return executed;
  if (standing_ != Standing::apart) forget_idle(request.at);
  const Scene scene{request.connection, request.client,  request.at,      executed.effects,
                    executed.acts,      executed.pushes, executed.closes, executed.changed};
  executed.reply = run(scene, request.command.args());
  return executed;
}

Reply Server::run(const Scene& scene, const Words& words) {
  const std::string& verb = words[0].bytes();
  if (verb == "CONNECT") return connect(scene, number(words[1]));
  const std::int64_t id = number(words[1]);
  Session* const session = tree_.session(id);
  if (!session || session->connection != scene.connection) leave(scene.connection);
  if (!session) return expired;
  touch(*session, scene.at);
  if (standing_ == Standing::apart) heard_.insert(id);
  take_over(scene, *session);
  if (verb == "PING") return Reply::integer(1);
  if (verb == "CLOSE") {
    const auto before = tree_.first();
    end_session(scene, id);
    settle(scene, before, Change::released);
    return Reply::integer(1);
  }
  const std::string& path = words[2].bytes();
  if (verb == "SYNC") return Reply::integer(1);
  if (verb == "CREATE") return create(scene, id, words);
  if (verb == "DELETE") return remove(scene, path);
  if (verb == "EXISTS") {
    if (words.size() == 4) tree_.watch(scene.connection, path);
    return Reply::integer(tree_.exists(path));
  }
  if (path != tree_.parent()) return tree_.exists(path) ? Reply::array({}) : no_node;
  std::vector<Reply> names;
  for (const auto& [child, node] : tree_.nodes()) names.push_back(Reply::bulk(child.substr(path.size() + 1)));
  return Reply::array(std::move(names));
}

Reply Server::connect(const Scene& scene, std::int64_t timeout_ms) {
  timeout_ms = std::clamp(timeout_ms, ticks_least * tick_ms_, ticks_most * tick_ms_);
  Session session{scene.client, timeout_ms, 0, scene.connection};
  leave(scene.connection);
  touch(session, scene.at);
  return Reply::array({Reply::integer(tree_.open(session)), Reply::integer(timeout_ms)});
}

/// Nothing more comes over a connection, or what comes is of another session: a real client has another connection
/// then.
void Server::leave(int connection) {
  tree_.forget(connection);
  for (auto& [id, session] : tree_.sessions()) {
    if (session.connection == connection) session.connection = 0;
  }
}

/// NIOServerCnxnFactory.closeSession: a session that goes on over another connection leaves none behind it, and what is
/// still on its way there never runs.
void Server::take_over(const Scene& scene, Session& session) {
  const int before = std::exchange(session.connection, scene.connection);
  if (before == scene.connection || before == 0) return;
  tree_.forget(before);
  scene.closes.push_back(before);
}

/// Its nodes are gone, which is told; then the server closes its connection. The nodes are returned.
std::vector<std::string> Server::end_session(const Scene& scene, std::int64_t session) {
  const int connection = tree_.session(session)->connection;
  std::vector<std::string> gone = tree_.close(session);
  for (const std::string& path : gone) changed(scene, path);
  if (connection == 0) return gone;
  tree_.forget(connection);
  scene.closes.push_back(connection);
  return gone;
}

Reply Server::create(const Scene& scene, std::int64_t session, const Words& words) {
  if (!tree_.is_child(words[2].bytes())) return no_node;
  const auto before = tree_.first();
  const auto made = tree_.make(session, words[2].bytes(), words[3] == Value("ES"));
  if (!made) return Reply::nil();
  changed(scene, *made);
  settle(scene, before, Change::released);
  return Reply::bulk(*made);
}

Reply Server::remove(const Scene& scene, const std::string& path) {
  const auto before = tree_.first();
  if (!tree_.remove(path)) return Reply::integer(0);
  changed(scene, path);
  settle(scene, before, Change::released);
  return Reply::integer(1);
}

/// A node was made or deleted: whoever watches it is told.
void Server::changed(const Scene& scene, const std::string& path) {
  scene.changed.push_back(path);
  for (const int connection : tree_.take_watches(path)) {
    scene.pushes.push_back({connection, Reply::array({Reply::bulk("event"), Reply::bulk(path)})});
  }
}

/// For the history, the lock belongs to the session whose node comes first.
void Server::settle(const Scene& scene, std::optional<std::int64_t> before, Change how) {
  const auto now = tree_.first();
  if (now == before) return;
  const std::string& lock = tree_.parent();
  if (before) scene.effects.push_back({how, how == Change::expired ? "expired" : "left", lock, {}});
  if (!now) return;
  const Effect first{Change::acquired, "first", lock, {}};
  const HostIndex client = tree_.session(*now)->client;
  if (client == scene.client) {
    scene.effects.push_back(first);
  } else {
    scene.acts.push_back({client, "turn", {first}});
  }
}

std::int64_t Server::tick_at(const ServerTime& at) const {
  const std::int64_t ms = at.mono_us / 1000;
  return ms / tick_ms_ - (ms % tick_ms_ < 0 ? 1 : 0);
}

/// The last tick at which the session tracker has looked.
std::int64_t Server::tracked_tick(const ServerTime& at) const {
  return still_at_ ? std::min(*still_at_, tick_at(at)) : tick_at(at);
}

void Server::stand_still(const ServerTime& at) {
  if (standing_ == Standing::leads) still_at_ = tracked_tick(at);
}

void Server::go_on(const ServerTime& at) {
  if (standing_ != Standing::leads || tracked_tick(at) == tick_at(at)) still_at_.reset();
}

void Server::begin_to_lead(const ServerTime& at) {
  still_at_.reset();
  give_whole_time(at);
}

/// SessionTracker: the end is rounded up to a tick, and is later than the time-out even where that falls on one.
void Server::touch(Session& session, const ServerTime& at) const {
  session.ends = (at.mono_us / 1000 + session.timeout_ms) / tick_ms_ + 1;
}

/// A session without nodes ends without a trace: it is enough to know that when a request comes.
void Server::forget_idle(const ServerTime& at) {
  std::erase_if(tree_.sessions(), [&](const auto& entry) {
    const bool over = entry.second.ends <= tracked_tick(at) && !tree_.has_nodes(entry.first);
    if (over) tree_.forget(entry.second.connection);
    return over;
  });
}

std::optional<Duration> Server::due(const HostClocks& clocks) const {
  std::optional<std::int64_t> next;
  for (const auto& [id, session] : tree_.sessions()) {
    if (tree_.has_nodes(id)) next = std::min(next.value_or(session.ends), session.ends);
  }
  if (still_at_) next = *still_at_ + 1;
  if (!next || down_ || standing_ != Standing::leads) return std::nullopt;
  return clocks.when(instant_of(*next));
}

ServiceModel::OwnActs Server::act(const ServerTime& at) {
  OwnActs acted;
  if (standing_ != Standing::leads) return acted;
  still_at_.reset();
  std::vector<std::int64_t> over;
  for (const auto& [id, session] : tree_.sessions()) {
    if (session.ends <= tick_at(at) && tree_.has_nodes(id)) over.push_back(id);
  }
  for (const std::int64_t id : over) {
    const HostIndex client = tree_.session(id)->client;
    OwnAct end{client, "session-end", {}};
    std::vector<OwnAct> then;
    const Scene scene{0, client, at, end.effects, then, acted.pushes, acted.closes, acted.changed};
    const auto before = tree_.first();
    for (std::string& path : end_session(scene, id)) {
      end.effects.push_back({Change::expired, "deleted", std::move(path), {}});
    }
    settle(scene, before, Change::expired);
    acted.acts.push_back(std::move(end));
    std::ranges::move(then, std::back_inserter(acted.acts));
  }
  return acted;
}

std::vector<Effect> Server::stop(bool /*without_warning*/, const ServerTime& at) {
  if (standing_ == Standing::leads || standing_ == Standing::follows) forget_idle(at);
  down_ = true;
  still_at_.reset();
  tree_.forget_watches();
  for (auto& [id, session] : tree_.sessions()) session.connection = 0;
  return {};
}

/// All sessions get their whole time-out again.
void Server::restart(const ServerTime& at) {
  down_ = false;
  give_whole_time(at);
}

void Server::give_whole_time(const ServerTime& at) {
  for (auto& [id, session] : tree_.sessions()) touch(session, at);
}

/// Numbers of sessions and nodes occur in names and in messages, and are written unchanged.
void Server::encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
                    std::int64_t /*over_at_most_ms*/) const {
  const std::int64_t tick = tracked_tick(at);
  into.number((tick_at(at) + 1) * tick_ms_ * 1000 - at.mono_us);
  into.number(still_at_ ? tick_at(at) - tick : -1);
  const bool led = standing_ == Standing::leads || standing_ == Standing::follows;
  into.number(tree_.opened());
  into.number(tree_.made());
  for (const auto& [id, session] : tree_.sessions()) {
    if (led && session.ends <= tick && !tree_.has_nodes(id)) continue;
    into.number(id);
    into.number(session.client);
    into.number(session.timeout_ms);
    into.number(std::max<std::int64_t>(session.ends - tick, 0));
    const auto over = connections.find(session.connection);
    into.number(over == connections.end() ? -1 : over->second);
  }
  into.number(static_cast<std::int64_t>(tree_.nodes().size()));
  for (const auto& [path, node] : tree_.nodes()) {
    into.value(path, at.wall_ms);
    into.number(node.session);
  }
  for (const Watch& watch : tree_.watches()) {
    const auto known = connections.find(watch.connection);
    if (known == connections.end()) continue;
    into.number(known->second);
    into.value(watch.path, at.wall_ms);
  }
  encode_standing(into);
}

void Server::residual(StateEncoder& into, const ServerTime& /*at*/, bool with_leased) const {
  if (with_leased) into.number(static_cast<std::int64_t>(tree_.nodes().size()));
}

Duration Server::longest_lease(const ServerTime& at) const {
  Duration longest{};
  for (const auto& [id, session] : tree_.sessions()) {
    if (!tree_.has_nodes(id)) continue;
    longest = std::max(longest, Duration(session.ends * tick_ms_ * 1000 - at.mono_us));
  }
  return longest;
}

void Server::each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const {
  if (standing_ != Standing::leads) return;
  for (const auto& [id, session] : tree_.sessions()) see(clocks.when(instant_of(session.ends)));
}

std::optional<Recurrence> Server::ticks(const HostClocks& clocks, const ServerTime& at) const {
  const std::int64_t tick = tick_at(at);
  const Duration next = clocks.when(instant_of(tick + 1));
  return Recurrence{next, clocks.when(instant_of(tick + 2)) - next};
}

}  // namespace lockproof::sim::zookeeper
