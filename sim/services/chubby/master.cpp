// SPDX-License-Identifier: Apache-2.0
#include "sim/services/chubby/master.hpp"
#include "sim/world/requests/request_rule.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace lockproof::sim::chubby {

using harness::Change;
using harness::Effect;

namespace {

constexpr std::int64_t lock_delay_most_ms = 60'000;
constexpr std::int64_t close_to_its_end = 4;  // of a lease: less than a fourth of it is left

const Reply expired = Reply::error("SESSIONEXPIRED"), unknown = Reply::error("UNIMPLEMENTED");

std::int64_t number(const Value& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.bytes().data(), digits.bytes().data() + digits.bytes().size(), n);
  return n;
}

/// From this instant on a KeepAlive is answered.
std::int64_t answers_us(const Session& session) { return session.ends_us - session.lease_us / close_to_its_end; }

Mono instant(std::int64_t us) { return InstantAccess::make<Mono>(us); }

/// The only ways in which a lease gets longer: it is made, a KeepAlive is answered, another master has taken over.
void extend(Session& session, const ServerTime& at) { session.ends_us = at.mono_us + session.lease_us; }

Reply extension(const Session& session, std::int64_t held_us) {
  return Reply::array({Reply::integer(held_us / 1000), Reply::integer(session.lease_us / 1000)});
}

Reply try_acquire(Lock& lock, SessionId id, const std::vector<Value>& words, const ServerTime& at,
                  std::vector<Effect>& effects) {
  if (lock.holder) return Reply::integer(*lock.holder == id);
  if (at.mono_us < lock.free_us) return Reply::integer(0);
  lock.holder = id;
  ++lock.generation;
  lock.delay_us = std::min(number(words[3]), lock_delay_most_ms) * 1000;
  lock.free_us = 0;
  effects.push_back({Change::acquired, "acquired", words[2].bytes(), {}});
  return Reply::integer(1);
}

Reply release(Lock& lock, SessionId id, const std::string& name, std::vector<Effect>& effects) {
  if (lock.holder != id) return Reply::integer(0);
  lock.holder.reset();
  effects.push_back({Change::released, "released", name, {}});
  return Reply::integer(1);
}

Reply sequencer(const Lock& lock, SessionId id, const std::string& name) {
  if (lock.holder != id) return Reply::nil();
  return Reply::array({Reply::bulk(name), Reply::bulk("exclusive"), Reply::integer(lock.generation)});
}

}  // namespace

constexpr RequestRule requests[] = {
    {"CREATESESSION", 2, 2}, {"KEEPALIVE", 2, 2}, {"TRYACQUIRE", 4, 4}, {"GETSEQUENCER", 3, 3}, {"RELEASE", 3, 3}};

NodeAnswer Master::execute(const Request& request) {
  NodeAnswer executed{unknown};
  executed.lacks = describe_lack(requests, "Chubby", request.command);
  if (!executed.lacks.empty()) return executed;
  forget_idle(request.at);
  const Words& words = request.command.args();
  const std::string& verb = words[0].bytes();
  const std::int64_t n = number(words[1]);
  if (verb == "CREATESESSION") {
    executed.reply = create_session(n, request);
    return executed;
  }
  Session* const session = database_.find(n);
  if (!session) {
    executed.reply = expired;
  } else if (verb == "KEEPALIVE") {
    keep_alive(n, *session, request, executed);
  } else if (verb == "TRYACQUIRE") {
    executed.reply = try_acquire(database_.locks[words[2].bytes()], n, words, request.at, executed.effects);
  } else if (verb == "GETSEQUENCER") {
    executed.reply = sequencer(database_.locks[words[2].bytes()], n, words[2].bytes());
  } else if (verb == "RELEASE") {
    executed.reply = release(database_.locks[words[2].bytes()], n, words[2].bytes(), executed.effects);
  }
  return executed;
}

Reply Master::create_session(std::int64_t lease_ms, const Request& request) {
  Session session{request.client, lease_ms * 1000, 0};
  extend(session, request.at);
  return Reply::array({Reply::integer(database_.open(session)), Reply::integer(lease_ms)});
}

/// Of a client that comes to a new master the first one is answered at once.
void Master::keep_alive(SessionId id, Session& session, const Request& request, NodeAnswer& executed) {
  if (!session.failed_over && request.at.mono_us < answers_us(session)) {
    executed.waits = true;
    executed.asks_replicas = false;
    waiting_.push_back({request.connection, id, request.at.mono_us});
    return;
  }
  session.failed_over = false;
  extend(session, request.at);
  executed.reply = extension(session, 0);
}

void Master::disconnected(int connection) {
  std::erase_if(waiting_, [&](const PendingKeepAlive& one) { return one.connection == connection; });
}

bool Master::has_waiting(SessionId session) const {
  return std::ranges::find(waiting_, session, &PendingKeepAlive::session) != waiting_.end();
}

/// When it ends if nothing more is heard of it: a KeepAlive that waits will still extend it.
std::int64_t Master::ends_us(SessionId id, const Session& session) const {
  return has_waiting(id) ? answers_us(session) + session.lease_us : session.ends_us;
}

/// A session without locks ends without a trace: it is enough to know that when a call comes. While a KeepAlive of it
/// waits, it does not end, however late the master answers.
bool Master::is_idle(SessionId session) const { return !database_.has_locks(session) && !has_waiting(session); }

void Master::forget_idle(const ServerTime& at) {
  std::erase_if(database_.sessions, [&](const auto& entry) {
    return ends_us(entry.first, entry.second) <= at.mono_us && is_idle(entry.first);
  });
}

std::optional<Duration> Master::due(const HostClocks& clocks) const {
  std::optional<std::int64_t> next;
  const auto see = [&](std::int64_t at_us) { next = std::min(next.value_or(at_us), at_us); };
  for (const PendingKeepAlive& one : waiting_) see(answers_us(database_.session(one.session)));
  for (const auto& [id, session] : database_.sessions) {
    if (database_.has_locks(id) && !has_waiting(id)) see(session.ends_us);
  }
  if (!next || down_) return std::nullopt;
  return clocks.when(instant(*next));
}

/// All that wait on one connection are answered together, and so keep their order.
std::vector<ServiceModel::Answer> Master::on_timer(const ServerTime& at) {
  std::set<int> connections;
  for (const PendingKeepAlive& one : waiting_) {
    if (answers_us(database_.session(one.session)) <= at.mono_us) connections.insert(one.connection);
  }
  std::vector<Answer> answers;
  for (const PendingKeepAlive& one : std::exchange(waiting_, {})) {
    if (!connections.contains(one.connection)) {
      waiting_.push_back(one);
      continue;
    }
    Session& session = database_.session(one.session);
    extend(session, at);
    answers.push_back({one.connection, extension(session, at.mono_us - one.since_us)});
  }
  return answers;
}

ServiceModel::OwnActs Master::act(const ServerTime& at) {
  OwnActs acted;
  std::vector<SessionId> over;
  for (const auto& [id, session] : database_.sessions) {
    if (ends_us(id, session) <= at.mono_us && !has_waiting(id) && database_.has_locks(id)) over.push_back(id);
  }
  for (const SessionId id : over) {
    OwnAct end{database_.session(id).client, "session-end", {}};
    for (const std::string& name : database_.end(id, at.mono_us)) {
      end.effects.push_back({Change::expired, "lock-delay", name, {}});
    }
    acted.acts.push_back(std::move(end));
  }
  return acted;
}

/// The next master hears of the sessions that have not ended by now, and of no others.
std::vector<Effect> Master::stop(bool /*without_warning*/, const ServerTime& at) {
  forget_idle(at);
  down_ = true;
  waiting_.clear();
  return {};
}

/// The next master: each session gets the longest lease that the last one may have granted.
void Master::restart(const ServerTime& at) {
  down_ = false;
  for (auto& [id, session] : database_.sessions) {
    extend(session, at);
    session.failed_over = true;
  }
}

/// Numbers of sessions and generations occur in messages, and are written unchanged.
void Master::encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
                    std::int64_t /*over_at_most_ms*/) const {
  into.number(database_.opened());
  for (const auto& [id, session] : database_.sessions) {
    if (!down_ && ends_us(id, session) <= at.mono_us && is_idle(id)) continue;
    into.number(id);
    into.number(session.client * 2 + session.failed_over);
    into.number(session.lease_us);
    if (!down_) into.number(session.ends_us - at.mono_us);  // a session does not end while there is no master
  }
  into.number(0);  // no session has this number
  into.number(static_cast<std::int64_t>(database_.locks.size()));
  for (const auto& [name, lock] : database_.locks) {
    into.text(name);
    into.number(lock.holder.value_or(0));
    into.number(lock.generation);
    into.number(lock.holder ? lock.delay_us : std::max<std::int64_t>(lock.free_us - at.mono_us, 0));
  }
  into.number(static_cast<std::int64_t>(waiting_.size()));
  for (const PendingKeepAlive& one : waiting_) {
    const auto known = connections.find(one.connection);
    into.number(known == connections.end() ? -1 : known->second);
    into.number(one.session);
    into.number(at.mono_us - one.since_us);
  }
}

void Master::residual(StateEncoder& into, const ServerTime& at, bool with_leased) const {
  if (!with_leased) return;
  const auto taken = [&](const auto& entry) { return entry.second.holder || at.mono_us < entry.second.free_us; };
  into.number(std::ranges::count_if(database_.locks, taken));
}

/// Until the last lock can be taken, if nothing more is heard of anybody.
Duration Master::longest_lease(const ServerTime& at) const {
  std::int64_t last_us = at.mono_us;
  for (const auto& [name, lock] : database_.locks) {
    const std::int64_t free_us =
        lock.holder ? ends_us(*lock.holder, database_.session(*lock.holder)) + lock.delay_us : lock.free_us;
    last_us = std::max(last_us, free_us);
  }
  return Duration(last_us - at.mono_us);
}

void Master::each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const {
  for (const auto& [id, session] : database_.sessions) see(clocks.when(instant(session.ends_us)));
  for (const auto& [name, lock] : database_.locks) {
    if (!lock.holder && lock.free_us > 0) see(clocks.when(instant(lock.free_us)));
  }
}

}  // namespace lockproof::sim::chubby
