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
using harness::HostIndex;
using harness::What;
using harness::When;

void World::server_happens(When::Moment moment, Connection& connection, const Message& message) {
  Server& server = server_of(connection);
  const std::string_view verb = message.command.verb();
  const std::string& client = name(connection.client);
  if (!server.triggers.none()) {
    const auto striking = server.triggers.happens(moment, verb, client, message.round);
    for (const std::size_t fault : striking) provoke(fault, &connection, message.number);
  }
  if (!options_.budget || message.number == 0) return;
  tempt({server.name, true, moment, verb, client, server.name, message.round}, connection.server, &connection,
        message.number);
}

/// Several may strike at one event; they are offered in the order of the budget, so that each set occurs once.
void World::tempt(const Occasion& occasion, HostIndex actor, Connection* connection, int number) {
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
    provoke(faults_.size() - 1, connection, number);
  }
}

void World::tempt_at_start() {
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

void World::provoke(std::size_t number, Connection* connection, int message) {
  const Fault& fault = faults_[number];
  const HostIndex target = history_.host_named(fault.target);
  const bool breaks_here = fault.kind == FaultKind::break_connection && fault.when && fault.when->actor == fault.peer;
  if (is_elsewhere_ && is_elsewhere_(target) && !breaks_here) {
    return tell_elsewhere_({.host = target, .fault = number});
  }
  if (connection) mark_message(fault, *connection, message);
  if (fault.delay == Duration{}) {
    strike(number);
  } else {
    plan({now_ + fault.delay, number, false});
  }
}

/// Faults of a message are set on its connection at once, before it leaves.
void World::mark_message(const Fault& fault, Connection& connection, int number) {
  Line& line = fault.reply ? connection.replies : connection.requests;
  switch (fault.kind) {
    case FaultKind::half_open: line.dead_from = number; return;
    case FaultKind::delay:
      line.late = number;
      line.late_by = fault.by;
      return;
    case FaultKind::resend:
      connection.replies.lost = number;
      return processes_[static_cast<std::size_t>(connection.client)]->resend_next(connection.server, fault.lasts);
    default: return;
  }
}

void World::strike(std::size_t number) {
  const Fault& fault = faults_[number];
  const HostIndex target = history_.host_named(fault.target);
  if (target < first_server() && processes_[static_cast<std::size_t>(target)]->crashed()) return;
  if (target >= first_server() && row_of(fault.kind).of_process && server_at(target).down) return;
  if (fault.kind == FaultKind::failover && server_at(history_.host_named(fault.peer)).master != target) return;

  harness::Event event{.what = What::strike};
  event.fault = static_cast<int>(number) + 1;
  event.word = harness::name(fault.kind);
  if (names_peer(fault)) event.peer = history_.host_named(fault.peer);
  if (fault.lasts != Duration{}) event.value = fault.lasts.count();
  if (fault.by != Duration{}) event.value = fault.by.count();
  if (fault.kind == FaultKind::clock_rate) event.value = fault.rate_ppb;
  note(target, clocks(target), std::move(event));
  const std::size_t noted = history_.events.size();

  if (has_end(fault)) plan({now_ + fault.lasts, number, true});
  std::vector<harness::Effect> effects = change(fault, target);
  if (options_.record) history_.events[noted - 1].effects = std::move(effects);
}

/// Returns the fault's effects on keys.
std::vector<harness::Effect> World::change(const Fault& fault, HostIndex target) {
  const bool client = target < first_server();
  Process* process = client ? processes_[static_cast<std::size_t>(target)].get() : nullptr;
  Server* server = client ? nullptr : servers_[static_cast<std::size_t>(target - first_server())].get();
  switch (fault.kind) {
    case FaultKind::suspend: clocks(target).suspend(now_, now_ + fault.lasts); [[fallthrough]];
    case FaultKind::pause: pause(target); break;
    case FaultKind::crash: process->crash(); break;
    case FaultKind::kill_task: process->kill_worker(); break;
    case FaultKind::clock_jump: clocks(target).jump(fault.by); break;
    case FaultKind::clock_rate: clocks(target).set_rate(now_, fault.rate_ppb); break;
    case FaultKind::break_connection: break_connection(fault, target); break;
    case FaultKind::partition:
    case FaultKind::replication_stall: cut(fault, target); break;
    case FaultKind::restart:
    case FaultKind::power_cut: return take_down(*server, target, fault.kind == FaultKind::power_cut);
    case FaultKind::failover: fail_over(fault, target); break;
    case FaultKind::evict:
    case FaultKind::flush:
    case FaultKind::script_flush:
    case FaultKind::client_pause: return store_changes(fault, *server, target);
    case FaultKind::pool_switch: process->switch_next(history_.host_named(fault.peer)); break;
    case FaultKind::half_open:
    case FaultKind::delay:
    case FaultKind::resend: break;  // set on the connection, see mark_message
  }
  return {};
}

std::vector<harness::Effect> World::store_changes(const Fault& fault, Server& server, HostIndex host) {
  Executed done = server.model->apply(fault, scenario_.lock, server.time(now_));
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
  note(target, clocks(target), std::move(event));
  switch (fault.kind) {
    case FaultKind::suspend: clocks(target).go_on(now_); [[fallthrough]];
    case FaultKind::pause: return wake(target);
    case FaultKind::clock_rate: return clocks(target).set_rate(now_, 0);
    case FaultKind::restart:
    case FaultKind::power_cut: return bring_up(target);
    default: return;  // a partition heals when its own time ends
  }
}

void World::cut(const Fault& fault, HostIndex target) {
  const Duration until = now_ + fault.lasts;
  const auto both = [&](HostIndex peer) {
    if (fault.direction != Fault::Direction::from_peer) cut({target, peer, until, false});
    if (fault.direction != Fault::Direction::to_peer) cut({peer, target, until, false});
  };
  if (fault.kind == FaultKind::replication_stall) {
    const HostIndex master = servers_[static_cast<std::size_t>(target - first_server())]->master;
    if (master != harness::no_host) cut({master, target, until, true});
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
  processes_[static_cast<std::size_t>(client)]->lose_connection(server);
}

void World::reset_all(HostIndex server) {
  for (HostIndex client = 0; client < first_server(); ++client) reset(client, server);
}

/// The server's end of a client's connections is closed. Messages under way to it or held there are lost; what it has
/// sent arrives, and behind it the news that the connection is closed.
void World::reset(HostIndex client, HostIndex server) {
  const auto place = static_cast<std::size_t>(server - first_server());
  const Process& process = *processes_[static_cast<std::size_t>(client)];
  if (!process.has_begun()) return;
  Connection* const main = process.crashed() ? nullptr : process.connections()[place];  // a crashed client has none
  const bool learns = main && !main->closed && !main->reset;
  Server& there = *servers_[place];
  const auto unseen = [&](const Server::Unseen& request) {
    if (request.connection->client != client) return false;
    if (!request.request.hang_up) note_drop(*request.connection, request.request.number, "request");
    return true;
  };
  const auto unanswered = [&](const auto& held) {
    if (held.first->client != client) return false;
    note_drop(*held.first, held.second.number, "reply");
    return true;
  };
  std::erase_if(there.inbox, unseen);
  std::erase_if(there.held, unseen);
  std::erase_if(there.outbox, unanswered);
  std::erase_if(there.waiting, unanswered);
  for (const auto& connection : connections_) {
    if (connection->client != client || connection->server != server || connection->reset) continue;
    for (const Message& lost : connection->requests.messages()) {
      if (!lost.hang_up) note_drop(*connection, lost.number, "request");
    }
    connection->close_at_server();
    end_connection(*connection);
    there.model->disconnected(connection->number);
  }
  if (!learns) return;
  Message news{.command = Command(std::vector<Value>{"RESET"}), .reply = Reply::nil()};
  news.occurrence = news.round = 1;
  news.reset = true;
  main->replies.push(std::move(news), now_ + scenario_.network.latency.least);
}

void World::fail_over(const Fault& fault, HostIndex old) {
  if (!fault.old_serves) {
    server_at(old).down = true;
    std::erase_if(plans_, [&](const Planned& plan) {  // it stays down: the end of an earlier restart is void
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
  if (is_elsewhere_ && is_elsewhere_(client)) return tell_elsewhere_({.host = client, .from = from, .to = to});
  processes_[static_cast<std::size_t>(client)]->redirect(from, to);
}

void World::pause(HostIndex host) {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->pause();
  ++servers_[static_cast<std::size_t>(host - first_server())]->pauses;
}

void World::wake(HostIndex host) {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->wake();
  Server& server = *servers_[static_cast<std::size_t>(host - first_server())];
  if (--server.pauses > 0) return;
  for (auto& [connection, reply] : std::exchange(server.outbox, {})) answer(*connection, std::move(reply));
  for (Server::Unseen& waiting : std::exchange(server.inbox, {})) deliver(std::move(waiting));
  ask_for_copy(static_cast<std::size_t>(host - first_server()));
}

}  // namespace lockproof::sim
