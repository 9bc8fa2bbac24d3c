// SPDX-License-Identifier: Apache-2.0
// How a world, its processes and its servers write their states, for World::encoding.
#include <algorithm>
#include <climits>
#include <map>
#include <tuple>

#include "sim/world/process_ports.hpp"
#include "sim/world/program_host.hpp"
#include "sim/world/state_encoder.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

namespace {

void encode(StateEncoder& into, const HostClocks& clocks, Duration now) {
  for (const std::int64_t part : clocks.phase(now)) into.number(part);
}

void encode(StateEncoder& into, const harness::Triggers& triggers) {
  for (const int seen : triggers.seen()) into.number(seen);
}

bool loses_answer(const Connection& connection, const Message& message) {
  return message.answer_lost || connection.replies.loses(message);
}

/// What a program's command has done to the lock's key.
int key_number(const Message& message) { return message.key ? message.key->flags() : 0; }

void encode_ttl(StateEncoder& into, const Message& message) {
  if (message.key && message.key->ttl) into.number(message.key->ttl->count());
}

/// The delay of the reply to a command, whether the command or the connection carries it.
Duration lateness_of_answer(const Connection& over, const Message& command) {
  return std::max(command.answer_late, over.replies.late == command.number ? over.replies.late_by : Duration{});
}

/// A fault in effect, by what it does and not by its number.
void encode(StateEncoder& into, const harness::Fault& fault) {
  into.number(static_cast<std::int64_t>(fault.kind));
  into.text(fault.target);
  into.text(fault.peer);
  into.duration(fault.lasts);
  into.duration(fault.by);
  into.number(fault.rate_ppb);
  into.number(static_cast<std::int64_t>(fault.direction) * 4 + fault.reply * 2 + fault.old_serves);
  for (const std::string& client : fault.to_clients) into.text(client);
}

/// Which form of it strikes later.
std::int64_t retry_number(const harness::Fault& fault) { return 1 + fault.same_connection + 2 * fault.reply; }

std::int64_t set_back_ms(const harness::Fault& fault) {
  return fault.kind == harness::FaultKind::clock_jump && fault.by < Duration{}
             ? std::chrono::ceil<milliseconds>(-fault.by).count()
             : 0;
}

}  // namespace

/// Two milliseconds without a jump: the first one after its end is an instant to ask at, and must stay distinct.
std::int64_t over_at_most_ms(const harness::Scenario& scenario, const harness::Bounds* bounds) {
  std::int64_t all = 2;
  for (const harness::Fault& fault : scenario.faults) all += set_back_ms(fault);
  std::int64_t most = 0;
  if (!bounds) return all;
  for (const harness::BudgetedFault& entry : bounds->budget) {
    for (const harness::Fault& form : entry.forms) most = std::max(most, set_back_ms(form));
  }
  return all + most * bounds->max_faults;
}

void CallGroup::encode(StateEncoder& into, const harness::Readings& now) const {
  into.number(static_cast<std::int64_t>(calls.size()));
  for (const PendingCall& call : calls) {
    into.number(call.server);
    into.number(call.ended + 2 * call.announced + 4 * (call.number != 0) + 8 * (call.key ? call.key->flags() : 0));
    if (call.key && call.key->ttl) into.number(call.key->ttl->count());
    if (call.ended) {
      into.result(call.result, now.wall_ms);
    } else if (call.number != 0 && !call.untimed) {
      into.instant(call.due, now);
      into.instant(call.resend, now);
      into.number(call.retry ? retry_number(process_.world_.faults()[*call.retry]) : 0);
    }
  }
}

void NewsWait::encode(StateEncoder& into, const harness::Readings& now) const {
  into.text(channel);
  into.number(came);
  into.instant(until, now);
}

void MomentWait::encode(StateEncoder& into, const harness::Readings&) const { into.text(name(act)); }

void LineWait::encode(StateEncoder& into, const harness::Readings&) const { into.number(said.has_value()); }

void Process::encode(StateEncoder& into) const {
  const harness::Readings now = clocks_.at(world_.now());
  const bool rests = at_rest();
  if (is_gone()) {
    into.number(-1);
    // What still closes its connections: a failover that it has not heard of, and news that came during a pause.
    for (const HostIndex route : routes_) into.number(route);
    for (const UnreadMessage& unseen : inbox_) {
      if (!unseen.message.reset) continue;
      into.number(unseen.connection->server);
      into.number(encoded_slot(*unseen.connection));
    }
    return;
  }
  into.number(rests + 2 * worker_killed_);
  into.number(pauses_);
  sim::encode(into, clocks_, world_.now());
  sim::encode(into, triggers_);
  for (const Token& token : born_with_) into.value(token, now.wall_ms);
  harness::Life life = rests ? client_->life() : rest_life_;
  if (worker_killed_) life.worker_due.reset(), life.next_period.reset();  // they have no effect any more
  life.round = world_.encoded_round(index_, life.round);
  if (world_.asking().minds_first_contact()) into.number(has_sent());
  into.life(life, now);
  if (!memory_) into.lock(rests ? lock_->state() : rest_lock_, now);
  if (!memory_ && !rests) {
    into.number(static_cast<std::int64_t>(inputs_.size()));
    for (const harness::Event& input : inputs_) into.input(input, now);
  }
  if (client_->life().attempt_end) into.instant(client_->life().attempt_end, now);
  into.number(static_cast<std::int64_t>(groups_.size()));
  for (const CallGroup* group : groups_) {
    group->encode(into, now);
    for (const PendingCall& call : group->calls) {
      if (call.number != 0 && !call.ended) into.number(distance(*call.connection, call.number));
    }
  }
  into.number(static_cast<std::int64_t>(news_waits_.size()));
  for (const NewsWait* wait : news_waits_) wait->encode(into, now);
  into.number(static_cast<std::int64_t>(ready_.size()));
  for (const Suspension* waiting : ready_) waiting->encode(into, now);
  if (program_) program_->encode(into, now);
  for (const HostIndex route : routes_) into.number(route);
  for (const std::string& channel : news_) into.text(channel);
  for (const auto& fault : resend_) {
    into.duration(fault ? std::optional(world_.faults()[*fault].lasts) : std::nullopt);
  }
  for (const auto& fault : retry_) into.number(fault ? retry_number(world_.faults()[*fault]) : 0);
  for (const auto& fault : switch_) {
    if (fault) into.text("switch " + world_.faults()[*fault].session);
  }
  for (const bool open : in_transaction_) {
    if (open) into.text("transaction");
  }
  into.number(static_cast<std::int64_t>(inbox_.size()));
  for (const UnreadMessage& unseen : inbox_) {
    into.number(unseen.connection->server);
    into.number(encoded_slot(*unseen.connection));
    into.number(unseen.message.number == 0 ? 0 : distance(*unseen.connection, unseen.message.number));
    into.number(unseen.announced + 2 * unseen.message.refused + 4 * unseen.message.push + 8 * unseen.message.reset +
                16 * key_number(unseen.message));
    encode_ttl(into, unseen.message);
    if (unseen.message.reply) into.reply(*unseen.message.reply, now.wall_ms);
  }
}

/// Rounds that repeat indefinitely are not counted, once they are behind the last that a fault names.
int World::encoded_round(HostIndex client, int round) const {
  if (scenario_.clients[static_cast<std::size_t>(client)].plan.rounds != harness::rounds_for_ever) return round;
  int named = 0;
  for (const harness::Fault& fault : scenario_.faults) named = std::max(named, fault.when ? fault.when->round : 0);
  return std::min(round, named + 1);
}

/// The faults that a line has for the commands from this number on. A connection that its client has closed carries no
/// more of them.
void World::encode_faults(StateEncoder& into, const Line& line, int next) {
  into.number(line.dead_from <= next);
  into.number(line.lost == next);
  into.number(line.late == next ? line.late_by.count() : 0);
}

/// The connections of one process, oldest first, in canonical numbers: server by server. Closed and empty ones are left
/// out.
void World::encode_connections(StateEncoder& into, const Process& process, std::map<int, int>& numbers) const {
  const std::int64_t wall_ms = clocks_of(process.index()).wall_ms(now_);
  const bool rounds_matter = std::ranges::any_of(servers_, [](const auto& s) { return !s->triggers.none(); });
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    for (const auto& connection : connections_) {
      if (connection->client != process.index() || connection->server != first_server() + static_cast<HostIndex>(i)) {
        continue;
      }
      const bool held = holds_something_of(*servers_[i], *connection);
      if (connection->closed && connection->requests.empty() && connection->replies.empty() && !held) continue;
      const int number = static_cast<int>(numbers.size());
      numbers.emplace(connection->number, number);
      into.number(process.index());
      into.number(static_cast<std::int64_t>(i));
      into.number(connection->closed + 2 * connection->reset);
      const auto slot = process.slot_of(*connection);
      into.number(slot ? static_cast<std::int64_t>(*slot) : -1);
      for (const Line* line : {&connection->requests, &connection->replies}) {
        into.duration(std::max(line->last() - now_, Duration{}));
        if (!connection->closed) encode_faults(into, *line, process.distance(*connection, 0) + 1);
        into.number(static_cast<std::int64_t>(line->messages().size()));
        for (const Message& message : line->messages()) {
          into.number(message.number == 0 ? 0 : process.distance(*connection, message.number));
          into.number(message.refused + 2 * message.push + 4 * message.reset + 8 * message.hang_up +
                      16 * key_number(message));
          encode_ttl(into, message);
          if (!message.reply) {  // the fate of its reply
            into.number(connection->replies.loses(message));
            into.duration(connection->replies.late == message.number ? connection->replies.late_by : Duration{});
          }
          if (rounds_matter) into.number(encoded_round(process.index(), message.round));
          into.duration(std::max(message.arrives - now_, Duration{}));
          if (message.reply) {
            into.text(message.command.verb());
            into.reply(*message.reply, wall_ms);
          } else {
            into.command(message.command, wall_ms);
          }
        }
      }
    }
  }
}

/// How many commands its client has sent behind a request.
int World::distance(const Server::UnreadRequest& unseen) const {
  if (unseen.request.hang_up) return -1;
  const Process& client = *processes_[static_cast<std::size_t>(unseen.connection->client)];
  return client.distance(*unseen.connection, unseen.request.number);
}

void World::encode_server(StateEncoder& into, std::size_t index, const std::map<int, int>& numbers) const {
  const Server& server = *servers_[index];
  const std::int64_t wall_ms = server.clocks.wall_ms(now_);
  into.number(server.pauses * 2 + server.down);
  into.number(server.master);
  encode(into, server.clocks, now_);
  encode(into, server.triggers);
  into.number(static_cast<std::int64_t>(server.inbox.size()));
  for (const Server::UnreadRequest& unseen : server.inbox) {
    into.number(numbers.at(unseen.connection->number));
    into.number(unseen.announced + 2 * loses_answer(*unseen.connection, unseen.request));
    into.duration(lateness_of_answer(*unseen.connection, unseen.request));
    into.number(distance(unseen));
    into.command(unseen.request.command, wall_ms);
  }
  into.number(static_cast<std::int64_t>(server.outbox.size()));
  for (const auto& [connection, message] : server.outbox) {
    into.number(numbers.at(connection->number));
    into.number(loses_answer(*connection, message) + 2 * key_number(message));
    encode_ttl(into, message);
    into.duration(lateness_of_answer(*connection, message));
    into.number(processes_[static_cast<std::size_t>(connection->client)]->distance(*connection, message.number));
    into.text(message.command.verb());  // by which faults are placed
    into.reply(*message.reply, wall_ms);
  }
  into.number(static_cast<std::int64_t>(server.held.size()));
  for (const Server::UnreadRequest& unseen : server.held) {
    into.number(numbers.at(unseen.connection->number));
    into.number(loses_answer(*unseen.connection, unseen.request));
    into.duration(lateness_of_answer(*unseen.connection, unseen.request));
    into.number(distance(unseen));
    into.command(unseen.request.command, wall_ms);
  }
  into.number(static_cast<std::int64_t>(server.waiting.size()));
  for (const auto& [connection, message] : server.waiting) {
    into.number(numbers.at(connection->number));
    into.number(loses_answer(*connection, message));
    into.duration(lateness_of_answer(*connection, message));
    into.number(processes_[static_cast<std::size_t>(connection->client)]->distance(*connection, message.number));
  }
  encode_links(into, server);
  server.model->encode(into, numbers, server.time(now_), over_at_most_ms_);
}

/// For a replica: the messages under way between it and its master, and how long the master has heard nothing.
void World::encode_links(StateEncoder& into, const Server& server) const {
  const std::int64_t wall_ms = server.clocks.wall_ms(now_);
  for (const Line* line : {&server.replication, &server.words}) {
    into.duration(std::max(line->last() - now_, Duration{}));
    into.number(static_cast<std::int64_t>(line->messages().size()));
    for (const Message& message : line->messages()) {
      into.duration(std::max(message.arrives - now_, Duration{}));
      into.command(message.command, wall_ms);
    }
  }
  into.number(server.linked);
  encode_difference(into, server);
  if (!listens_ || server.master == harness::no_host) return;
  const auto master = static_cast<std::size_t>(server.master - first_server());
  const Duration longest = scenario_.servers[master].min_replicas_max_lag + Duration(1);
  const auto silent = silent_since(server);
  into.duration(silent ? std::min(now_ - *silent, longest) : Duration(-1));
}

/// How far the wall clocks of servers that replicate with each other differ: a master writes into a command when a key
/// ends by its own clock, and its replicas read that by theirs.
void World::encode_difference(StateEncoder& into, const Server& server) const {
  const auto with_it = [&](const std::unique_ptr<Server>& other) {
    return other.get() == &server || scenario_.replicate_together(other->name, server.name);
  };
  const auto first = std::ranges::find_if(servers_, with_it);
  if (first->get() == &server) return;
  into.number(server.clocks.wall_ms(now_) - (*first)->clocks.wall_ms(now_));
}

/// Adds a plan. Those of one instant stand in an order of their own, whichever was made first: the order of the events
/// that are due follows from it, and a state says nothing of how it was reached.
void World::plan(const PlannedFault& added) {
  const auto content = [&](const PlannedFault& of) {
    StateEncoder part;
    encode(part, faults_[of.fault]);
    return part.take();
  };
  const auto of_scenario = [&](const PlannedFault& of) { return of.fault < scenario_.faults.size(); };
  const auto stands_behind = [&](const PlannedFault& other) {
    if (other.at != added.at) return other.at > added.at;
    if (of_scenario(other) != of_scenario(added)) return of_scenario(added);
    if (of_scenario(added)) return std::tie(other.heals, other.fault) > std::tie(added.heals, added.fault);
    return std::pair(other.heals, content(other)) > std::pair(added.heals, content(added));
  };
  plans_.insert(std::ranges::find_if(plans_, stands_behind), added);
}

/// What is in effect or planned: ends of faults, faults that will strike, partitions. Sorted into a canonical order.
void World::encode_plans(StateEncoder& into) const {
  std::vector<std::string> parts;
  for (const PlannedFault& plan : plans_) {
    StateEncoder part(tokens_);
    part.duration(std::max(plan.at - now_, Duration{}));
    part.number(plan.heals);
    encode(part, faults_[plan.fault]);
    parts.push_back(part.take());
  }
  for (const Cut& cut : cuts_) {
    if (cut.until <= now_) continue;
    StateEncoder part(tokens_);
    part.number(cut.from);
    part.number(cut.to * 2 + cut.stall);
    part.duration(cut.until - now_);
    parts.push_back(part.take());
  }
  std::ranges::sort(parts);
  into.number(static_cast<std::int64_t>(parts.size()));
  for (const std::string& part : parts) into.text(part);
}

/// Which of its two servers is the master, which change it waits for, and for how long it has waited.
void World::encode_sentinels(StateEncoder& into) const {
  for (const Sentinel& sentinel : sentinels_) {
    into.number(sentinel.master * 2 + sentinel.demotes);
    const auto since = waits_since(sentinel);
    into.duration(since ? std::min(now_ - *since, sentinel.after()) : Duration(-1));
  }
}

/// The offset of a wall clock from world time. That of a client which has ended is never read.
void World::encode_clocks(StateEncoder& into, HostIndex host, ClockDetail detail) const {
  if (detail == ClockDetail::relative) return;
  if (host < first_server() && processes_[static_cast<std::size_t>(host)]->is_gone()) return;
  into.number(clocks_of(host).wall_ms(now_) * 1000 - now_.count());
  if (detail == ClockDetail::instant) into.number(now_.count());
}

std::string World::encoding(ClockDetail detail) const {
  StateEncoder into(tokens_);
  std::map<int, int> numbers;  // of connections: the server's own, and one free of history
  for (const auto& process : processes_) process->encode(into);
  for (const auto& [name, memory] : memories_) memory->encode(into);
  for (const auto& process : processes_) encode_connections(into, *process, numbers);
  for (std::size_t i = 0; i < servers_.size(); ++i) encode_server(into, i, numbers);
  encode_plans(into);
  encode_sentinels(into);
  encode_ensemble(into);
  for (const int used : budget_.counts()) into.number(used);
  for (HostIndex host = 0; host < first_server() + static_cast<HostIndex>(scenario_.servers.size()); ++host) {
    encode_clocks(into, host, detail);
  }
  return into.take();
}

}  // namespace lockproof::sim
