// SPDX-License-Identifier: Apache-2.0
// The part of World for faults: how each fault changes the world, and how it heals.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::Fault;
using harness::FaultKind;
using harness::FaultRow;
using Action = harness::FaultRow::Action;
using harness::EventPlace;
using harness::HostIndex;
using harness::What;

void World::server_happens(EventPlace::Moment moment, Connection& connection, const Message& message) {
  Server& server = server_of(connection);
  const std::string_view verb = message.command.verb();
  const std::string& client = name(connection.client);
  if (!server.triggers.none()) {
    const auto striking = server.triggers.happens(moment, verb, client, message.round);
    for (const std::size_t fault : striking) trigger_fault(fault, &connection, message.number);
  }
  if (!options_.budget || message.number == 0) return;
  offer_faults({server.name, true, moment, verb, client, server.name, message.round, harness::Stage::serving},
               connection.server, &connection, message.number);
}

/// Several may strike at one event; they are offered in the order of the budget, so that each set occurs once.
void World::offer_faults(const Occasion& occasion, HostIndex actor, Connection* connection, int number) {
  if (!options_.budget) return;
  budget_.count(occasion);
  std::size_t first = 0;
  while (true) {
    const bool dead = actor < first_server() && processes_[static_cast<std::size_t>(actor)]->crashed();
    const std::vector<Budget::Offer> offers = dead ? std::vector<Budget::Offer>() : budget_.offers(occasion, first);
    if (offers.empty()) return;
    const std::size_t chosen = chooser_.strike(offers.size());
    if (chosen == 0) return;
    faults_.push_back(budget_.take(offers[chosen - 1], &occasion));
    first = offers[chosen - 1].entry;
    trigger_fault(faults_.size() - 1, connection, number);
  }
}

void World::offer_faults_at_start() {
  std::size_t first = 0;
  while (true) {
    const std::vector<Budget::Offer> offers = budget_.initial_offers(first);
    if (offers.empty()) return;
    const std::size_t chosen = chooser_.strike(offers.size());
    if (chosen == 0) return;
    faults_.push_back(budget_.take(offers[chosen - 1], nullptr));
    first = offers[chosen - 1].entry;
    plan({Duration{}, faults_.size() - 1, false});
  }
}

void World::trigger_fault(std::size_t number, Connection* connection, int message) {
  const Fault& fault = faults_[number];
  const HostIndex target = history_.host_named(fault.target);
  const bool breaks_here = fault.kind == FaultKind::break_connection && fault.when && fault.when->actor == fault.peer;
  if (is_elsewhere(target) && !breaks_here) {
    return tell_elsewhere_({.host = target, .fault = number});
  }
  if (connection) mark_message(number, *connection, message);
  if (fault.kind == FaultKind::resend || fault.kind == FaultKind::retry) return;  // when the command leaves again
  if (fault.kind == FaultKind::pool_switch) {  // … when a command goes over another connection
    return processes_[static_cast<std::size_t>(target)]->switch_next(history_.host_named(fault.peer), number);
  }
  if (fault.delay == Duration{}) {
    strike(number);
  } else {
    plan({now_ + fault.delay, number, false});
  }
}

/// Faults of a message are set on its connection at once, before it leaves.
void World::mark_message(std::size_t position, Connection& connection, int number) {
  const Fault& fault = faults_[position];
  Line& line = fault.reply ? connection.replies : connection.requests;
  switch (fault.kind) {
    case FaultKind::half_open: line.dead_from = number; return;
    case FaultKind::delay:
      line.late = number;
      line.late_by = fault.by;
      line.late_until.reset();
      if (fault.until) ends_at_.push_back({position, connection.number, number});
      return;
    case FaultKind::resend:
      connection.replies.lost = number;
      return processes_[static_cast<std::size_t>(connection.client)]->resend_next(connection.server, position);
    case FaultKind::retry:
      if (fault.reply) connection.replies.lost = number;
      return processes_[static_cast<std::size_t>(connection.client)]->retry_next(connection.server, position);
    default: return;
  }
}

EventPlace::LockState World::lock_state(HostIndex server, const Process& client) const {
  const bool is_a_server = server >= first_server() && server - first_server() < std::ssize(scenario_.servers);
  if (!whose_lock_ || !is_a_server) return EventPlace::LockState::any;
  return whose_lock_->at(server, client.index(), client.life(), now_);
}

void World::look_at_ends(const EventPlace& event) {
  for (EndsAt& one : ends_at_) {
    const EventPlace& until = *faults_[one.fault].until;
    if (harness::ends_at(until, event) && ++one.seen == until.occurrence) end_by_event(one);
  }
}

/// Nothing happens if it has ended already.
void World::end_by_event(const EndsAt& ending) {
  const Fault& fault = faults_[ending.fault];
  const Duration at = now_ + fault.longer;
  if (ending.connection != 0) {
    const auto late = std::ranges::find_if(connections_, [&](const auto& c) { return c->number == ending.connection; });
    if (late == connections_.end()) return;
    Line& line = fault.reply ? (*late)->replies : (*late)->requests;
    if (line.late == ending.message) line.hasten(at);
    return;
  }
  for (Cut& cut : cuts_) {
    if (cut.fault == ending.fault) cut.until = std::min(cut.until, at);
  }
  const auto heals = [&](const PlannedFault& plan) { return plan.heals && plan.fault == ending.fault && plan.at > at; };
  if (std::erase_if(plans_, heals) > 0) plan({at, ending.fault, true});
}

void World::strike(std::size_t number) {
  const Fault& fault = faults_[number];
  const HostIndex target = history_.host_named(fault.target);
  if (target < first_server() && processes_[static_cast<std::size_t>(target)]->crashed()) return;
  if (number >= scenario_.faults.size()) budget_.note_late(fault);
  if (target >= first_server() && row_of(fault.kind).of_process && server_at(target).down) return;
  if (fault.kind == FaultKind::failover && server_at(history_.host_named(fault.peer)).master != target) return;

  if (has_end(fault)) plan({now_ + fault.lasts, number, true});
  if (fault.until && fault.kind != FaultKind::delay) ends_at_.push_back({number, 0, 0});
  for (const HostIndex host : struck_hosts(fault, target)) strike(number, host);
  if (target >= first_server()) look_at_ensemble();
}

void World::strike(std::size_t number, HostIndex target) {
  const Fault& fault = faults_[number];
  harness::Event event{.what = What::strike};
  event.fault = static_cast<int>(number) + 1;
  event.word = harness::name(fault.kind);
  if (names_peer(fault)) event.peer = history_.host_named(fault.peer);
  if (fault.lasts != Duration{}) event.value = fault.lasts.count();
  if (fault.by != Duration{}) event.value = fault.by.count();
  if (fault.kind == FaultKind::clock_rate) event.value = fault.rate_ppb;
  event.host = target;
  event.at = now_;
  event.clocks = clocks(target).at(now_);
  harness::Event seen = event;
  note(target, clocks(target), std::move(event));
  const std::size_t recorded = history_.events.size();

  std::vector<harness::Effect> effects = change(fault, target);
  name_as_the_lock(effects);
  if (whose_lock_) {
    seen.effects = effects;
    whose_lock_->see(seen);
  }
  if (options_.record) history_.events[recorded - 1].effects = std::move(effects);
}

/// Returns the fault's effects on keys.
std::vector<harness::Effect> World::change(const Fault& fault, HostIndex target) {
  const bool client = target < first_server();
  Process* process = client ? processes_[static_cast<std::size_t>(target)].get() : nullptr;
  Server* server = client ? nullptr : servers_[static_cast<std::size_t>(target - first_server())].get();
  const FaultRow& row = row_of(fault.kind);
  switch (row.action) {
    case Action::stand_still:
      if (row.clocks == FaultRow::Clocks::monotonic) clocks(target).stop_mono(now_, now_ + fault.lasts);
      pause(target);
      break;
    case Action::end_process: process->crash(); break;
    case Action::end_worker: process->kill_worker(); break;
    case Action::jump_clock: clocks(target).jump(fault.by); break;
    case Action::set_rate: clocks(target).set_rate(now_, fault.rate_ppb); break;
    case Action::break_connection: break_connection(fault, target); break;
    case Action::cut_off: cut(fault, target); break;
    case Action::take_down: return take_down(*server, target, fault.kind == FaultKind::power_cut);
    case Action::promote: fail_over(fault, target); break;
    case Action::change_store: return store_changes(fault, *server, target);
    case Action::switch_connection:
    case Action::strike_message: break;  // set on the connection before, see trigger_fault
  }
  return {};
}

std::vector<harness::Effect> World::store_changes(const Fault& fault, Server& server, HostIndex host) {
  const std::string& named = key_of_program();
  NodeAnswer done = server.model->apply(fault, named.empty() ? scenario_.lock : named, server.time(now_));
  if (!done.propagated.empty()) {
    server.model->persist(now_);
    replicate(host, std::move(done.propagated));
  }
  return std::move(done.effects);
}

void World::heal(std::size_t number) {
  const Fault& fault = faults_[number];
  const HostIndex target = history_.host_named(fault.target);
  if (target < first_server() && processes_[static_cast<std::size_t>(target)]->crashed()) return;

  harness::Event event{.what = What::heal};
  event.fault = static_cast<int>(number) + 1;
  event.word = harness::name(fault.kind);
  if (names_peer(fault)) event.peer = history_.host_named(fault.peer);
  const std::vector<HostIndex> hosts = struck_hosts(fault, target);
  for (const HostIndex host : hosts) note(host, clocks(host), event);
  const FaultRow& row = row_of(fault.kind);
  switch (row.action) {
    case Action::stand_still:
      for (const HostIndex host : hosts) {
        if (row.clocks == FaultRow::Clocks::monotonic) clocks(host).go_on(now_);
      }
      for (const HostIndex host : hosts) wake(host);
      return;
    case Action::set_rate:
      for (const HostIndex host : hosts) clocks(host).set_rate(now_, 0);
      return;
    case Action::take_down: bring_up(target); break;
    default: break;  // a partition heals when its own time ends
  }
  if (target >= first_server()) look_at_ensemble();
}

void World::cut(const Fault& fault, HostIndex target) {
  const Duration until = now_ + fault.lasts;
  const auto both = [&](HostIndex peer) {
    if (fault.direction != Fault::Direction::from_peer) cut({target, peer, until, false});
    if (fault.direction != Fault::Direction::to_peer) cut({peer, target, until, false});
  };
  if (fault.kind == FaultKind::replication_stall) {
    const HostIndex master = scenario_.ensemble ? ensemble_.leader : server_at(target).master;
    if (master != harness::no_host && master != target) cut({master, target, until, true});
    return;
  }
  if (!fault.peer.empty()) return both(history_.host_named(fault.peer));
  for (std::size_t i = 0; i < history_.header.hosts.size(); ++i) {
    if (static_cast<HostIndex>(i) != target) both(static_cast<HostIndex>(i));
  }
}

/// When partitions overlap, the one that ends last decides.
void World::cut(const Cut& more) {
  for (Cut& cut : cuts_) {
    if (cut.from != more.from || cut.to != more.to || cut.stall != more.stall) continue;
    cut.until = std::max(cut.until, more.until);
    return;
  }
  cuts_.push_back(more);
}

Duration World::arrival(const Message& message, HostIndex from, HostIndex to) const {
  Duration at = message.arrives;
  for (const Cut& cut : cuts_) {
    if (cut.from == from && cut.to == to && cut.until > now_) at = std::max(at, cut.until);
  }
  return at;
}

bool World::is_cut(HostIndex from, HostIndex to) const {
  return std::ranges::any_of(cuts_,
                             [&](const Cut& cut) { return cut.from == from && cut.to == to && cut.until > now_; });
}

/// The server's process ends: its connections end with it, and new ones are refused.
std::vector<harness::Effect> World::take_down(Server& server, HostIndex host, bool without_warning) {
  server.down = true;
  link_down(host);
  std::vector<harness::Effect> effects = server.model->stop(without_warning, server.time(now_));
  reset_all(host);
  return effects;
}

void World::bring_up(HostIndex host) {
  Server& server = server_at(host);
  server.down = false;
  server.model->restart(server.time(now_));
  link_up(host);
}

/// A fault placed by a client's event, or by time, closes the connection at the client end; by a server's event, at the
/// server end.
void World::break_connection(const Fault& fault, HostIndex client) {
  const HostIndex server = history_.host_named(fault.peer);
  if (fault.when && fault.when->actor == fault.peer) return reset(client, server);
  processes_[static_cast<std::size_t>(client)]->lose_connections(server);
}

void World::reset_all(HostIndex server) {
  for (HostIndex client = 0; client < first_server(); ++client) reset(client, server);
}

/// The server's end of all connections of a client is closed.
void World::reset(HostIndex client, HostIndex server) {
  if (!processes_[static_cast<std::size_t>(client)]->has_begun()) return;
  for (const auto& connection : connections_) {
    if (connection->client == client && connection->server == server && !connection->reset) reset(*connection);
  }
}

void World::fail_over(const Fault& fault, HostIndex old) {
  if (!fault.old_serves) {
    server_at(old).down = true;
    std::erase_if(plans_, [&](const PlannedFault& plan) {  // it stays down: the end of an earlier restart is void
      const Fault& other = faults_[plan.fault];
      return plan.heals && other.target == fault.target && row_of(other.kind).of_process && !stands_still(other.kind);
    });
    link_down(old);
    reset_all(old);
  }
  promote(old, history_.host_named(fault.peer), fault.old_serves ? fault.to_clients : std::vector<std::string>());
}

/// The replica is promoted with what it has applied; the commands still under way to it are lost. The other replicas
/// follow it, and copy its data. The clients that are notified, all if none is named, turn to it.
void World::promote(HostIndex old, HostIndex promoted, const std::vector<std::string>& to_clients) {
  Server& replica = server_at(promoted);
  unlink(replica);
  replica.master = harness::no_host;
  replica.as_replicated().set_replica(false);
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i]->master == old) turn(first_server() + static_cast<HostIndex>(i), promoted);
  }
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const bool learns =
        to_clients.empty() || std::ranges::find(to_clients, scenario_.clients[i].name) != to_clients.end();
    if (learns) redirect(static_cast<HostIndex>(i), old, promoted);
  }
}

void World::redirect(HostIndex client, HostIndex from, HostIndex to) {
  if (is_elsewhere(client)) return tell_elsewhere_({.host = client, .from = from, .to = to});
  processes_[static_cast<std::size_t>(client)]->redirect(from, to);
}

void World::pause(HostIndex host) {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->pause();
  Server& server = server_at(host);
  if (server.pauses++ == 0) server.model->stand_still(server.time(now_));
}

void World::wake(HostIndex host) {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->wake();
  Server& server = server_at(host);
  if (--server.pauses > 0) return;
  server.model->go_on(server.time(now_));
  look_at_ensemble();
  for (auto& [connection, reply] : std::exchange(server.outbox, {})) answer(*connection, std::move(reply));
  if (server.model->queues() == ServiceModel::Queues::one) {
    for (Server::UnreadRequest& waiting : std::exchange(server.inbox, {})) deliver(std::move(waiting));
  }
  ask_for_copy(static_cast<std::size_t>(host - first_server()));
}

}  // namespace lockproof::sim
