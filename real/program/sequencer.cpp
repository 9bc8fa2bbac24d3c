// SPDX-License-Identifier: Apache-2.0
#include "real/program/sequencer.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "harness/program/event_name.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "real/clock/world_time.hpp"

namespace lockproof::real {

using harness::Effect;
using harness::Event;
using harness::event_verb;
using harness::EventPlace;
using harness::HostIndex;
using harness::recorded;
using harness::waits_in_server;
using harness::What;

namespace {

constexpr std::int64_t waiting_ns = 5'000'000;      // after which a command is asked whether it waits in the server
constexpr std::int64_t freeing_ns = 1'000'000'000;  // for which a server may take to notice that a connection has ended

/// As the scenario names the lock, unless it is known better.
std::string key_of(const harness::Scenario& scenario) {
  const harness::ProgramKey& known = scenario.program->known_key;
  return known.is_known() && !known.name.empty() ? known.name : scenario.lock;
}

bool is_of_connection(const Proxy::Message& m) { return m.command.args().empty(); }

}  // namespace

Sequencer::Sequencer(const harness::Scenario& scenario, Proxy& proxy, RunCallbacks around)
    : scenario_(scenario), proxy_(proxy), around_(std::move(around)),
      first_server_(static_cast<HostIndex>(scenario.clients.size())), key_(key_of(scenario)) {}

void Sequencer::watch(std::unique_ptr<KeyWatch> server) {
  const std::string& master = scenario_.servers.at(servers_.size()).replica_of;
  if (master.empty()) masters_.push_back(servers_.size());
  servers_.push_back({std::move(server), {}, {}, harness::no_host, {}});
  if (master.empty()) return;
  const auto found = std::ranges::find(scenario_.servers, master, &harness::ServerSpec::name);
  servers_.back().master = first_server_ + static_cast<HostIndex>(found - scenario_.servers.begin());
}

Proxy::Observer Sequencer::observer() {
  return {[this](const Proxy::Message& m) { passes(m); },
          [this](const Proxy::Message& m) { dropped(m); },
          [this](const Proxy::Message& m, std::string_view reply) { answered(m, reply); },
          [this](const Proxy::Message& m) { return may_happen(m); },
          [this](const Proxy::Message& m) { return may_leave(m); },
          [this](HostIndex client, HostIndex host, int) { connection_ended(client, host); }};
}

Entitlement Sequencer::entitled(HostIndex client) const {
  const auto lease = leases_.find(client);
  if (!sees_lock() || lease == leases_.end()) return {};  // nobody knows, so it is believed
  return {true, lease->second.until(masters_.size())};
}

bool Sequencer::sees_lock() const {
  const harness::ProgramKey& known = scenario_.program->known_key;
  if (known.source != harness::KeySource::unasked) return known.is_known();
  return std::ranges::all_of(servers_, [](const Server& at) { return at.watch->sees_all(); });
}

void Sequencer::promoted(HostIndex replica, HostIndex old) {
  if (server(replica).master != old) return;  // it is known
  look_at_replica(replica);
  std::ranges::replace(masters_, static_cast<std::size_t>(old - first_server_),
                       static_cast<std::size_t>(replica - first_server_));
  for (Server& other : servers_) {
    if (other.master != old) continue;
    other.master = replica;
    other.coming.forget();
  }
  server(replica).master = harness::no_host;
}

void Sequencer::copied(HostIndex master, HostIndex replica) {
  look_at_replica(replica);
  server(replica).master = master;  // a sentinel may have made it one
  server(replica).coming.forget();
  server(replica).view = server(master).view;
}

// One message after the other.

/// No command is under way to any server; one at a server that does not answer keeps nobody from the others.
bool Sequencer::is_free(HostIndex host) {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const HostIndex other = first_server_ + static_cast<HostIndex>(i);
    if (is_under_way(other) && (other == host || around_.answers(other))) return false;
  }
  return true;
}

/// A command that has lost its connection is over, whether it has run or not.
bool Sequencer::is_under_way(HostIndex host) {
  Server& at = server(host);
  if (!at.turn) return false;
  if (proxy_.connected(host, at.turn->first)) return true;
  const int port = at.turn->first;
  const auto sent = sent_.find({host, port, at.turn->second});
  at.turn.reset();
  if (sent != sent_.end() && !sent->second.executed) executed(host, at.client, sent->second, std::nullopt, port);
  end_turn(host);
  return false;
}

void Sequencer::look_meanwhile() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    Server& at = servers_[i];
    const HostIndex host = first_server_ + static_cast<HostIndex>(i);
    const std::int64_t now_ns = machine_ns();
    if (!around_.answers(host)) {
      if (at.frees_until_ns > 0) at.frees_until_ns = now_ns + freeing_ns;
      continue;
    }
    if (now_ns < at.looks_at_ns) continue;
    at.looks_at_ns = now_ns + waiting_ns;
    if (is_under_way(host) && at.watch->waits(upstream_port(host, at.turn->first))) waits(host);
    if (now_ns < at.frees_until_ns && !at.turn) look_for_freed(host);
  }
}

/// What has the turn waits for others, so they go on.
void Sequencer::waits(HostIndex host) {
  Server& at = server(host);
  const auto sent = sent_.find({host, at.turn->first, at.turn->second});
  if (sent != sent_.end()) around_.waits(at.client, host, sent->second.message);
  end_turn(host);
}

void Sequencer::end_turn(HostIndex host) {
  server(host).turn.reset();
  for (Answer& answer : std::exchange(server(host).early, {})) {
    executed(host, answer.client, sent_.at(answer.place), std::move(answer.reply), std::get<1>(answer.place));
  }
  proxy_.resume();
}

void Sequencer::connection_ended(HostIndex client, HostIndex host) {
  const bool owns = harness::row_of(scenario_.algorithm->service).of_connections;
  if (owns && client < first_server_) server(host).frees_until_ns = machine_ns() + freeing_ns;
}

/// What belonged to a connection that has ended.
void Sequencer::look_for_freed(HostIndex host) {
  const HostIndex owner = server(host).view.owner();
  look_for_others(host);
  std::vector<Effect> effects;
  for (Effect& found : std::exchange(server(host).unclaimed, {})) {
    auto& into = found.change == harness::Change::evicted ? effects : server(host).unclaimed;
    into.push_back(std::move(found));
  }
  if (effects.empty()) return;
  server(host).frees_until_ns = 0;
  Event freed{.what = What::execute};
  freed.peer = owner;
  freed.command = Command({Value("disconnect")});
  freed.effects = std::move(effects);
  around_.note(host, std::move(freed));
}

int Sequencer::upstream_port(HostIndex host, int port) const {
  const auto found = proxy_.upstream_ports().find({host, port});
  return found == proxy_.upstream_ports().end() ? 0 : found->second;
}

bool Sequencer::may_happen(const Proxy::Message& m) {
  return m.server < first_server_ || is_of_connection(m) || is_free(m.server);
}

void Sequencer::passes(const Proxy::Message& m) {
  if (m.client >= first_server_ || is_of_connection(m)) return;
  const Place place{m.server, m.port, m.number};
  if (m.reply) {
    const auto sent = sent_.find(place);
    if (sent == sent_.end()) return;
    const bool stood = around_.stands_still(m.server);
    around_.happens(m.client, event(m, sent->second, EventPlace::Moment::after), m);
    sent->second.reply_waits = !stood && around_.stands_still(m.server);
    return;
  }
  look_for_others(m.server);
  SentCommand& sent = sent_[place];
  sent.verb = event_verb(m.command);
  sent.command = recorded(m.command);
  sent.state = state(m.server, m.client);
  around_.happens(m.client, event(m, sent, EventPlace::Moment::before), m);
}

bool Sequencer::may_leave(const Proxy::Message& m) {
  if (m.client >= first_server_) return true;
  const auto found = sent_.find({m.server, m.port, m.number});
  if (found == sent_.end()) return true;
  SentCommand& sent = found->second;
  if (m.reply) {
    if (!sent.executed) return false;  // it was early
    if (sent.reply_waits && around_.stands_still(m.server)) return false;
    if (around_.is_gone(m.client)) return true;
    Event receive{.what = What::receive};
    receive.peer = m.server;
    receive.message = sent.message;
    receive.reply = sent.reply;
    around_.note(m.client, std::move(receive));
    keep(m.client, m.server, sent);
    return true;
  }
  if (!is_free(m.server)) return false;
  note_send(m, sent);
  if (waits_in_server(sent.verb)) {
    around_.waits(m.client, m.server, sent.message);
    return true;
  }
  server(m.server).turn = {m.port, m.number};
  server(m.server).looks_at_ns = machine_ns() + waiting_ns;
  server(m.server).client = m.client;
  return true;
}

void Sequencer::note_send(const Proxy::Message& m, SentCommand& sent) {
  if (sent.message != 0) return;
  sent.message = ++counts_[{m.client, m.server}];
  sent.at = around_.now();
  if (around_.is_gone(m.client)) return;
  if (around_.keeps(m.client)) around_.note(m.client, Event{.what = What::renew});
  Event send{.what = What::send};
  send.peer = m.server;
  send.message = sent.message;
  send.command = sent.command;
  send.word = harness::name(sent.state);
  around_.note(m.client, std::move(send));
}

void Sequencer::dropped(const Proxy::Message& m) {
  if (m.client >= first_server_ || is_of_connection(m) || around_.is_gone(m.client)) return;
  SentCommand& sent = sent_[{m.server, m.port, m.number}];
  if (sent.verb.empty()) {
    sent.verb = event_verb(m.command);
    sent.command = recorded(m.command);
    sent.state = state(m.server, m.client);
  }
  if (!m.reply) note_send(m, sent);
  Event drop{.what = What::drop};
  drop.peer = m.server;
  drop.message = sent.message;
  drop.word = m.reply ? "reply" : "request";
  around_.note(m.client, std::move(drop));
}

void Sequencer::answered(const Proxy::Message& m, std::string_view bytes) {
  if (m.client >= first_server_) return;
  const auto sent = sent_.find({m.server, m.port, m.number});
  if (sent == sent_.end()) return;
  Server& at = server(m.server);
  const bool has_turn = at.turn == std::pair(m.port, m.number);
  if (at.turn && !has_turn) {
    at.early.push_back({sent->first, m.client, around_.reply_from(bytes)});
    return;
  }
  executed(m.server, m.client, sent->second, around_.reply_from(bytes), m.port);
  if (has_turn) end_turn(m.server);
}

void Sequencer::executed(HostIndex host, HostIndex client, SentCommand& sent, const std::optional<Reply>& reply,
                         int port) {
  sent.executed = true;
  sent.reply = reply;
  Server& at = server(host);
  std::vector<Effect> effects = std::exchange(at.unclaimed, {});
  std::ranges::move(look(host, client, sent.at, upstream_port(host, port)), std::back_inserter(effects));
  for (Server& replica : servers_) {
    if (replica.master == host) replica.coming.add(sent.command, client, effects);
  }
  sent.change = harness::change_of_key(effects, scenario_.lock);
  Event execute{.what = What::execute};
  execute.peer = client;
  execute.message = sent.message;
  execute.command = sent.command;
  execute.reply = reply;
  execute.effects = std::move(effects);
  around_.note(host, std::move(execute));
  look_at_replicas();
}

/// The client has the reply: until when it may count on its lock, if the command has changed that.
void Sequencer::keep(HostIndex client, HostIndex host, const SentCommand& sent) {
  if (!sent.change) return;
  const Entitlement before = entitled(client);
  leases_[client].apply(host, *sent.change, sent.at);
  const Entitlement after = entitled(client);
  if (!around_.keeps(client) || !after.until || after.until == before.until) return;
  Event renewed{.what = What::renewed};
  renewed.left = harness::TimeLeft{*after.until - around_.now(), "mono"};
  around_.note(client, std::move(renewed));
}

// The keys.

/// What no command has done. What operators did is said by their fault.
void Sequencer::look_for_others(HostIndex host) {
  for (Effect& found : look(host, harness::no_host, {}, 0)) {
    const bool by_itself = found.change == harness::Change::expired || found.change == harness::Change::evicted;
    if (by_itself) server(host).unclaimed.push_back(std::move(found));
  }
}

/// What a look shows is the client's doing, if one is named; the lock's key gets the lock's name.
std::vector<Effect> Sequencer::look(HostIndex host, HostIndex client, Duration sent, int port) {
  Server& at = server(host);
  if (!around_.answers(host)) return {};
  std::optional<KeyWatch::Look> look = at.watch->look(key_, port);
  if (!look) return {};
  at.view.see(*look, key_, client, sent);
  for (Effect& effect : look->effects) {
    if (effect.key != key_) continue;
    effect.key = scenario_.lock;
  }
  const auto of_lock = [&](const Effect& e) { return e.key == scenario_.lock && e.change == harness::Change::renewed; };
  const auto last = std::ranges::find_if(look->effects.rbegin(), look->effects.rend(), of_lock);
  if (last != look->effects.rend()) last->ttl = look->ttl;
  return std::move(look->effects);
}

void Sequencer::look_at_replicas() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i].master != harness::no_host) look_at_replica(first_server_ + static_cast<HostIndex>(i));
  }
}

/// What it has run since the last look, by whose command.
void Sequencer::look_at_replica(HostIndex host) {
  Server& at = server(host);
  if (!around_.answers(host) || !scenario_.program->known_key.is_known()) return;
  std::optional<KeyWatch::Look> look = at.watch->look(key_, 0);
  if (!look) return;
  for (Effect& effect : look->effects) {
    if (effect.key == key_) effect.key = scenario_.lock;
  }
  for (ReplicatedCommands::ExecutedCommand& done : at.coming.shown(look->effects)) {
    at.view.see({done.effects, true, look->ttl}, scenario_.lock, done.client, around_.now());
    Event replicate{.what = What::replicate};
    replicate.peer = at.master;
    replicate.command = done.command;
    replicate.effects = std::move(done.effects);
    around_.note(host, std::move(replicate));
  }
  at.view.see({{}, look->there, look->ttl}, scenario_.lock, harness::no_host, around_.now());
}

EventPlace::LockState Sequencer::state(HostIndex host, HostIndex client) {
  const LockView& view = server(host).view;
  if (view.owner() == harness::no_host) return EventPlace::LockState::free;
  if (view.owner() != client) return EventPlace::LockState::held;
  return around_.is_engaged(client, view.since()) ? EventPlace::LockState::own : EventPlace::LockState::orphan;
}

EventPlace Sequencer::event(const Proxy::Message& m, const SentCommand& sent, EventPlace::Moment moment) const {
  EventPlace when;
  when.actor = scenario_.clients.at(static_cast<std::size_t>(m.client)).name;
  when.moment = moment;
  when.verb = sent.verb;
  when.server = scenario_.servers.at(static_cast<std::size_t>(m.server - first_server_)).name;
  when.state = sent.state;
  return when;
}

}  // namespace lockproof::real
