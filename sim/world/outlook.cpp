// SPDX-License-Identifier: Apache-2.0
// The part of World for clients that ask for the lock when they like: which may ask, what the rule for asking instants
// looks at (see asking.hpp), and the asking itself.
#include <algorithm>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;

namespace {

constexpr Duration never{std::int64_t{1} << 55};

}  // namespace

bool World::keeps_answers_back(const PlannedFault& plan) const {
  return plan.heals && history_.host_named(faults_[plan.fault].target) >= first_server();
}

bool World::wakes_client(const PlannedFault& plan) const {
  return plan.heals && history_.host_named(faults_[plan.fault].target) < first_server();
}

/// A message that a partition held back arrives now.
void World::each_arrival(const Connection& connection, const std::function<void(Duration)>& see) const {
  for (const Message& message : connection.requests.messages()) {
    see(std::max(arrival(message, connection.client, connection.server), now_));
  }
  for (const Message& message : connection.replies.messages()) {
    see(std::max(arrival(message, connection.server, connection.client), now_));
  }
}

/// Messages, except those of attempts that leave no trace if they are refused: otherwise two refused clients would give
/// each other reasons to ask again, indefinitely.
void World::each_instant_of_links(const std::function<void(Duration)>& see) const {
  for (const auto& connection : connections_) {
    if (!processes_[static_cast<std::size_t>(connection->client)]->only_tries()) each_arrival(*connection, see);
  }
  each_instant_of_servers(see);
}

/// What servers that replicate do among themselves.
void World::each_instant_of_servers(const std::function<void(Duration)>& see) const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const Server& server = *servers_[i];
    const HostIndex host = first_server() + static_cast<HostIndex>(i);
    for (const Message& message : server.replication.messages())
      see(std::max(arrival(message, server.master, host), now_));
    for (const Message& message : server.words.messages()) see(std::max(arrival(message, host, server.master), now_));
    const auto silent = silent_since(server);
    if (!listens_ || !silent) continue;
    const auto master = static_cast<std::size_t>(server.master - first_server());
    see(*silent + scenario_.servers[master].min_replicas_max_lag + Duration(1));
  }
  for (const Sentinel& sentinel : sentinels_) {
    if (const auto acts = acts_at(sentinel)) see(*acts);
  }
  if (ensemble_.looks) see(*ensemble_.looks);
}

/// Counted from now; nothing: the server has no ticks, or its clock stands still.
std::optional<Recurrence> World::ticks_of(std::size_t server) const {
  const Server& of = *servers_[server];
  auto ticks = of.model->ticks(of.clocks, of.time(now_));
  if (!ticks || ticks->next >= never || ticks->period <= Duration{}) return std::nullopt;
  ticks->next -= now_;
  return ticks;
}

Outlook World::outlook() {
  Outlook outlook;
  outlook.next = until_next();
  const auto happens = [&](Duration at) {
    if (at >= now_ && at < never) outlook.events.push_back(at - now_);
  };
  const auto is_over = [&](Duration at) {
    if (at >= now_ && at < never) outlook.readings.push_back(at - now_);
  };
  for (const PlannedFault& plan : plans_) {
    happens(plan.at);
    if (keeps_answers_back(plan)) outlook.ends.push_back(plan.at - now_);
    if (wakes_client(plan)) outlook.wakes.push_back(plan.at - now_);
  }
  for (const Cut& cut : cuts_) {
    if (cut.until <= now_) continue;
    happens(cut.until);
    outlook.ends.push_back(cut.until - now_);
  }
  each_instant_of_links(happens);
  for (const auto& connection : connections_) {
    each_arrival(*connection, [&](Duration at) { outlook.arrivals.push_back(at - now_); });
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->model->each_reading(servers_[i]->clocks, is_over);
    if (const auto ticks = ticks_of(i)) outlook.ticks.push_back(*ticks);
    for (const std::int64_t stamp : servers_[i]->model->stamps()) {
      for (const auto& process : processes_) {
        if (process->is_over()) continue;
        is_over(process->clocks().when_past(stamp - 1));
        is_over(process->clocks().when_past(stamp));
      }
    }
  }
  for (const auto& process : processes_) {
    if (process->only_tries()) continue;
    process->each_instant(happens);
    process->each_deadline(is_over);
  }
  for (std::size_t i = 0; i + 1 < servers_.size(); ++i) {
    outlook.milliseconds.emplace_back(servers_[i]->clocks.phase(now_)[0]);
  }
  return outlook;
}

std::optional<Duration> World::until_next() {
  collect();
  if (candidates_.empty()) return std::nullopt;
  return next_ - now_;
}

std::vector<int> World::may_ask() const {
  std::vector<int> clients;
  for (const auto& process : processes_) {
    if (process->may_ask()) clients.push_back(process->index());
  }
  return clients;
}

std::vector<int> World::unconnected(const std::vector<int>& clients) const {
  std::vector<int> all;
  if (!asking_.minds_first_contact()) return all;
  std::ranges::copy_if(clients, std::back_inserter(all),
                       [&](int client) { return processes_[static_cast<std::size_t>(client)]->may_be_unconnected(); });
  return all;
}

AskOffer World::offer_to_ask(std::vector<int> clients, std::optional<Duration> next) {
  AskOffer offer{.clients = std::move(clients), .now = now_, .next = next};
  offer.unconnected = unconnected(offer.clients);
  offer.name = [this, of = offer.clients](std::size_t i) {
    return processes_[static_cast<std::size_t>(of.at(i))]->name_of_ask();
  };
  offer.instants = [this] { return asking_.instants(outlook(), budget_.counts()); };
  return offer;
}

bool World::asks_at_once(HostIndex client) { return chooser_.asks_at_once(offer_to_ask({client}, Duration{})); }

/// Lets the chooser say whether a client asks before the next event. False: none does.
bool World::somebody_asks() {
  std::vector<int> clients = may_ask();
  if (clients.empty()) return false;
  std::optional<Duration> next;
  if (!candidates_.empty()) next = next_ - now_;
  const AskOffer offer = offer_to_ask(std::move(clients), next);
  const std::optional<Ask> ask = chooser_.ask(offer);
  if (!ask) return false;
  if (ask->after < Duration{} || (next && ask->after > *next)) throw std::logic_error("a client asks out of turn");
  now_ += ask->after;
  look_at_ended_cuts();
  const int client = offer.clients.at(ask->client);
  Process& process = *processes_[static_cast<std::size_t>(client)];
  if (ask->connects) {
    process.connect_anew();
    late_connects_.insert(client);
  }
  process.ask();
  return true;
}

void World::count_event(const Candidate& candidate) {
  ++events_;
  if (!passing_.count(scenario_, now_, options_.record)) return;
  using Kind = Candidate::Kind;
  if (candidate.kind == Kind::request || candidate.kind == Kind::reply) {
    passing_.blame("the way of a message (latency in [network])");
  } else if (candidate.kind == Kind::replication || candidate.kind == Kind::word) {
    passing_.blame("the way of a message between servers");
  } else if (candidate.kind == Kind::timer) {
    passing_.blame(processes_[candidate.index]->rule_of(candidate.timer));
  }
}

}  // namespace lockproof::sim
