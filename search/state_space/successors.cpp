// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/successors.hpp"

#include <algorithm>
#include <bit>

namespace lockproof::sim {
Successors::Successors(Product& product, bool learns)
    : p_(product), learns_(learns), now_(product.columns()), next_(product.columns()), foreseen_of_(product.columns()) {
}

Duration Successors::until_next(const Tuple& tuple) const {
  Duration due = IsolatedHost::never;
  for (std::size_t i = 0; i < p_.clients_; ++i) due = std::min(due, p_.groups_[i]->at(tuple[i]).due);
  for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) due = std::min(due, p_.hosts_[i]->summary(tuple[i]).due);
  return due;
}

Id Successors::group_age(std::size_t client, Id group, Duration by) {
  Groups& groups = *p_.groups_[client];
  const Key128 at{static_cast<std::uint64_t>(by.count()), group};
  const Id known = groups.ages.find(at);
  if (known != FlatMap::none) return known;
  if (gives_up()) return group;
  parts_.assign(groups.parts(group), groups.parts(group) + 1 + p_.servers_);
  parts_[0] = p_.hosts_[client]->aged(parts_[0], by);
  for (std::size_t i = 1; i < parts_.size(); ++i) parts_[i] = link_age(parts_[i], by);
  const Id id = groups.add(parts_.data());
  groups.ages.insert(at, id);
  return id;
}

/// Ages the state to the next event, and collects the traits of all hosts together.
void Successors::age(Duration by) {
  if (by != Duration{}) {
    for (std::size_t i = 0; i < p_.clients_; ++i) now_[i] = group_age(i, now_[i], by);
    for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) {
      const Id known = p_.hosts_[i]->known_aged(now_[i], by);
      if (known == FlatMap::none && gives_up()) return;
      now_[i] = known != FlatMap::none ? known : p_.hosts_[i]->aged(now_[i], by);
    }
    age_monitors(now_, by);
    if (unknown_) return;
  }
  tokens_ = 0;
  holds_ = is_wide_ = false;
  for (std::size_t i = 0; i < p_.clients_; ++i) tokens_ |= p_.groups_[i]->at(now_[i]).tokens;
  for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) {
    const Host::Summary& summary = p_.hosts_[i]->summary(now_[i]);
    tokens_ |= summary.tokens;
    holds_ |= summary.holds;
  }
}

/// Asks are never left out: the order of an ask and of an event at the same instant elsewhere is a choice of its own,
/// and an event that is left out here would come too late for it.
bool Successors::each(const Tuple& tuple, Sink& sink, bool reduce) {
  unknown_ = looks_ahead_ = false;  // the last call may have thrown
  std::vector<Duration> instants;
  if (p_.asking_.applies()) instants = asking_instants(tuple);
  if (unknown_) return true;
  const bool more = each_event(tuple, sink, reduce);
  if (!unknown_ && !instants.empty()) each_ask(tuple, instants, sink);
  return more;
}

bool Successors::each_event(const Tuple& tuple, Sink& sink, bool reduce) {
  look_at(p_.shared_.stop);
  if (p_.shared_.scenario.program && is_given_up(tuple)) {
    sink.ended({}, EndReason::given_up);
    return false;
  }
  const Duration due = until_next(tuple);
  if (due >= IsolatedHost::never) {
    if (!looks_ahead_) sink.ended(at_end(tuple, EndReason::nothing_comes), EndReason::nothing_comes);
    return false;
  }
  if (p_.shared_.scenario.program) {
    const EndReason why = cut_off(tuple, due);
    if (unknown_) return true;
    if (why != EndReason::nothing_comes) {
      const MonitorStates::Violations broken = at_end(tuple, why);
      if (unknown_) return true;
      sink.ended(broken, why);
      return false;
    }
  }
  losses_.clear();
  told_ = nullptr;
  now_ = tuple;
  age(due);
  if (unknown_) return true;
  if (reduce && p_.messages_take_time_ && faults_stay_home(tuple) && each_of_fewer(sink)) return true;
  for (std::size_t client = 0; client < p_.clients_; ++client) {
    const int locals = p_.groups_[client]->at(now_[client]).locals;
    for (int n = 0; n < locals; ++n) {
      Move move{.local = true, .host = static_cast<int>(client), .n = n};
      show(client, static_cast<std::uint32_t>(n), move, sink);
    }
  }
  for (std::size_t host = p_.clients_; host < p_.host_count_; ++host) {
    const Host::Summary summary = p_.hosts_[host]->summary(now_[host]);
    for (int n = 0; summary.due == Duration{} && n < summary.locals; ++n) {
      Move move{.local = true, .host = static_cast<int>(host), .n = n};
      wide_local(host, move, sink);
    }
  }
  const bool together = reduce && p_.shared_.bounds.ties == harness::Ties::together;
  for (std::size_t client = 0; client < p_.clients_; ++client) {
    const std::uint32_t replies = p_.groups_[client]->at(now_[client]).replies;
    for (std::size_t server = 0; server < p_.servers_; ++server) {
      const bool is_behind = together && (replies & ((1u << server) - 1)) != 0;
      arrivals(static_cast<int>(client), static_cast<int>(server), is_behind, sink);
    }
  }
  return true;
}

/// Whether no fault that is left does something at two hosts at once.
bool Successors::faults_stay_home(const Tuple& tuple) const {
  return !p_.budget_reaches_ || faults_used(tuple) >= p_.shared_.bounds.max_faults;
}

/// Whether a fault that is left ends a server's connections.
bool Successors::connections_may_end(const Tuple& tuple) const {
  return p_.budget_ends_connections_ && faults_used(tuple) < p_.shared_.bounds.max_faults;
}

/// Whether an event of a client's own is due now, or a reply.
bool Successors::a_client_acts() const {
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Group& group = p_.groups_[i]->at(now_[i]);
    if (group.locals > 0 || group.replies != 0) return true;
  }
  return false;
}

/// Passes only some of the due events, if the rest commutes with them: see commuting_chooser.hpp. False: it does not.
bool Successors::each_of_fewer(Sink& sink) {
  std::uint32_t requests = 0;
  bool undoes = false;
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Group& group = p_.groups_[i]->at(now_[i]);
    if (group.plans) return false;
    requests |= group.requests;
    undoes |= group.may_undo;
  }
  for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) {
    const Host::Summary& summary = p_.hosts_[i]->summary(now_[i]);
    if (summary.due != Duration{}) continue;
    if (summary.alone > 0) return false;
    requests |= summary.arrivals;
  }
  for (std::size_t client = 0; client < p_.clients_; ++client) {
    const Group group = p_.groups_[client]->at(now_[client]);
    if (group.locals > 0) continue;
    for (std::size_t server = 0; server < p_.servers_; ++server) {
      if ((group.replies >> server & 1) != 0 && buffered(static_cast<int>(client), static_cast<int>(server), sink))
        return true;
    }
  }
  if (requests == 0 || ((undoes || connections_may_end(now_)) && a_client_acts())) return false;
  const int server = std::countr_zero(requests);
  for (std::size_t client = 0; client < p_.clients_; ++client) {
    arrivals(static_cast<int>(client), server, true, sink);
  }
  arrivals_from_servers(server, sink);
  return true;
}

/// Messages of servers that replicate with this one.
void Successors::arrivals_from_servers(int server, Sink& sink) {
  const std::size_t site = p_.server_column(server);
  const Traits& traits = p_.hosts_[site]->traits(now_[site]);
  if (traits.due != Duration{}) return;
  for (std::size_t n = 0; n < traits.arrives.size(); ++n) {
    if (traits.arrives[n] != p_.shared_.sites.place_of(server)) continue;
    Move move{.local = true, .host = static_cast<int>(site), .n = static_cast<int>(n)};
    wide_local(site, move, sink);
  }
}

void Successors::arrivals(int client, int server, bool requests_only, Sink& sink) {
  const auto of = static_cast<std::size_t>(client);
  const Group& group = p_.groups_[of]->at(now_[of]);
  if (((group.requests | group.replies) >> server & 1) == 0) return;
  int before[2] = {0, 0};
  std::uint32_t place = 0;
  for (const Arrival& arrival : p_.links_.arrivals(p_.groups_[of]->link(now_[of], static_cast<std::size_t>(server)))) {
    Move move{.local = false, .client = client, .server = server, .reply = arrival.reply};
    move.before = before[arrival.reply]++;
    if (!arrival.reply) {
      request(arrival, place, move, sink);
    } else if (!requests_only) {
      holds_ ? wide_arrival(arrival, move, sink) : show(of, reply_event(server, place), move, sink);
    }
    ++place;
  }
}

/// Takes the first reply over this link that only fills its place in a gather, alone.
bool Successors::buffered(int client, int server, Sink& sink) {
  const auto of = static_cast<std::size_t>(client);
  int before = 0;
  std::uint32_t place = 0;
  for (const Arrival& arrival : p_.links_.arrivals(p_.groups_[of]->link(now_[of], static_cast<std::size_t>(server)))) {
    const std::uint32_t event = reply_event(server, place++);
    if (!arrival.reply) continue;
    Move move{.client = client, .server = server, .reply = true, .before = before++};
    if (arrival.closed) continue;
    if (holds_) {
      const std::vector<Outcome>& outcomes = outcomes_of(client, server, arrival);
      if (unknown_) return true;
      if (!outcomes.front().buffered) continue;
      wide_arrival(arrival, move, sink);
    } else {
      const std::vector<Effect>& outcomes = effects(of, event);
      if (unknown_) return true;
      if (!outcomes.front().outcome->buffered) continue;
      show(of, event, move, sink);
    }
    return true;
  }
  return false;
}

Id Successors::budget_after(Id budget, Id more) {
  const Id known = p_.shared_.budgets.known_after(budget, more);
  if (known != Budgets::none) return known;
  return gives_up() ? budget : p_.shared_.budgets.after(budget, more);
}

/// All outcomes of a client's event.
void Successors::show(std::size_t client, std::uint32_t event, Move& move, Sink& sink) {
  if (holds_ && (event & reply_bit) == 0) return wide_local(client, move, sink);
  for (const Effect& effect : effects(client, event)) {
    effect.reaches ? wide_effect(client, event, *effect.outcome, move, sink) : show(client, effect, move, sink);
  }
}

void Successors::show(std::size_t client, const Effect& effect, Move& move, Sink& sink) {
  for (std::size_t i = 0; i < now_.size(); ++i) next_[i] = now_[i];
  next_[client] = effect.group;
  next_[p_.budget_column_] = budget_after(now_[p_.budget_column_], effect.used);
  for (const NoOpInput& quiet : effect.quiet) {
    Id& state = next_[p_.server_column(quiet.server)];
    state = quiet_step(quiet.server, state, quiet.key, quiet.input);
  }
  const Part part{client, effect.outcome};
  judge({&part, 1}, effect.losses, move, sink);
}

const std::vector<Effect>& Successors::effects(std::size_t client, std::uint32_t event) {
  Groups& groups = *p_.groups_[client];
  const Id rest = p_.shared_.budgets.rest(now_[p_.budget_column_]);
  const Key128 at{std::uint64_t{event} << 48 | tokens_of(client) << 32 | rest, now_[client]};
  const Id known = groups.effects.find(at);
  if (known != FlatMap::none) return groups.made[known];
  static const std::vector<Effect> nothing;
  if (gives_up()) return nothing;
  std::vector<Effect> effects = worked_out(client, event);
  groups.effects.insert(at, static_cast<Id>(groups.made.size()));
  groups.made.push_back(std::move(effects));
  return groups.made.back();
}

/// Servers are not changed meanwhile; inputs to them are recorded.
std::vector<Effect> Successors::worked_out(std::size_t client, std::uint32_t event) {
  static const Outcome nothing{};
  std::vector<Effect> effects;
  widen();
  const auto made = [&](const Outcome& outcome, std::vector<NoOpInput>& quiet) {
    p_.parts(wide_, client, parts_);
    effects.push_back(
        {p_.groups_[client]->add(parts_.data()), outcome.used, &outcome, std::exchange(losses_, {}), std::move(quiet)});
    told_ = nullptr;
  };
  const auto each_outcome = [&](const std::vector<Outcome>& outcomes, const auto& before) {
    for (const Outcome& outcome : outcomes) {
      if (!outcome.consequences.empty()) {
        effects.push_back({.outcome = &outcome, .reaches = true});
        continue;
      }
      std::vector<NoOpInput> quiet;
      told_ = &quiet;
      wide_ = wide_now_;
      before();
      carry(outcome, client);
      made(outcome, quiet);
    }
  };
  if ((event & reply_bit) == 0) {
    const bool asks = event == ask_event;
    const InputKey input{.kind = asks ? Input::Kind::ask : Input::Kind::local,
                         .n = asks ? 0 : static_cast<int>(event),
                         .tokens = tokens_of(client)};
    each_outcome(step(client, wide_now_[client], input, 0), [] {});
    return effects;
  }
  const int server = static_cast<int>((event & ~reply_bit) >> place_bits);
  const std::size_t column = p_.link_column(static_cast<int>(client), server);
  const Id link = wide_now_[column];
  const Arrival arrival = p_.links_.arrivals(link)[event & place_mask];
  if (!arrival.closed) {
    each_outcome(outcomes_of(static_cast<int>(client), server, arrival),
                 [&] { wide_[column] = without(link, arrival); });
    return effects;
  }
  std::vector<NoOpInput> quiet;  // nothing receives them
  told_ = &quiet;
  wide_ = wide_now_;
  wide_[column] = without(link, arrival);
  tidy(static_cast<int>(client), server);
  made(nothing, quiet);
  return effects;
}

/// A request arrives. The server's step can reach all clients.
void Successors::request(const Arrival& arrival, std::uint32_t place, Move& move, Sink& sink) {
  const auto client = static_cast<std::size_t>(move.client);
  const std::size_t host = p_.server_column(move.server);
  Groups& groups = *p_.groups_[client];
  const Key128 at{static_cast<std::uint64_t>(move.server) << 32 | place, now_[client]};
  Id known = groups.taken.find(at);
  if (known == FlatMap::none) {
    if (gives_up()) return;
    parts_.assign(groups.parts(now_[client]), groups.parts(now_[client]) + 1 + p_.servers_);
    Id& link = parts_[1 + static_cast<std::size_t>(move.server)];
    const Wire& wire = p_.links_.at(link).wires[arrival.wire];
    RemovedRequest taken{.letter = wire.requests.flights.front().letter, .slot = wire.slot};
    taken.distance = wire.requests.flights.front().distance;
    link = without(link, arrival);
    taken.group = groups.add(parts_.data());
    known = static_cast<Id>(groups.requests.size());
    groups.requests.push_back(taken);
    groups.taken.insert(at, known);
  }
  const RemovedRequest& taken = groups.requests[known];
  const InputKey input{.kind = Input::Kind::letter,
                       .n = p_.shared_.sites.place_of(move.server),
                       .peer = move.client,
                       .slot = taken.slot,
                       .distance = taken.distance};
  for (const Outcome& outcome : step(host, now_[host], input, taken.letter)) {
    for (std::size_t i = 0; i < now_.size(); ++i) next_[i] = now_[i];
    next_[client] = taken.group;
    next_[host] = outcome.state;
    next_[p_.budget_column_] = budget_after(now_[p_.budget_column_], outcome.used);
    if (reach_clients(host, outcome)) {
      const Part part{host, &outcome};
      judge({&part, 1}, losses_, move, sink);
    } else {
      losses_.clear();
      widen();
      wide_ = wide_now_;
      Id& link = wide_[p_.link_column(move.client, move.server)];
      link = without(link, arrival);
      finish(outcome, host, move, sink);
    }
    losses_.clear();
  }
}

/// Sends its replies. False: the step has other outputs, too.
bool Successors::reach_clients(std::size_t site, const Outcome& outcome) {
  if (!outcome.resets.empty() || !outcome.severed.empty() || !outcome.consequences.empty()) return false;
  for (const PostedMessage& posted : outcome.posted) {
    const auto peer = static_cast<std::size_t>(posted.peer);
    next_[peer] = pushed(peer, next_[peer], posted.server, posted);
    if (posted.refused) losses_.push_back(loss(posted.peer, posted.server, posted.flight.distance));
  }
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    for (const int server : p_.shared_.sites.servers_of(site)) {
      if ((p_.groups_[i]->at(next_[i]).idle >> server & 1) != 0) return false;
    }
  }
  return true;
}

Id Successors::pushed(std::size_t client, Id group, int server, const PostedMessage& posted) {
  Groups& groups = *p_.groups_[client];
  const Key128 at{static_cast<std::uint64_t>(server) << 32 | posted.number, group};
  const Id known = groups.pushed.find(at);
  if (known != FlatMap::none) return known;
  if (gives_up()) return group;
  parts_.assign(groups.parts(group), groups.parts(group) + 1 + p_.servers_);
  Id& link = parts_[1 + static_cast<std::size_t>(server)];
  link = push_reply(link, posted);
  const Id id = groups.add(parts_.data());
  groups.pushed.insert(at, id);
  return id;
}

}  // namespace lockproof::sim
