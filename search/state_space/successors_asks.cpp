// SPDX-License-Identifier: Apache-2.0
// The part of Successors for clients that ask for the lock when they like: the instants at which that can matter
// (AskingRule), and the successors by asks.
#include <algorithm>

#include "search/state_space/successors.hpp"
#include "sim/kernel/passing_time.hpp"

namespace lockproof::sim {
namespace {

/// Collects what comes next if no client asks.
struct TupleCollector final : Successors::Sink {
  void see(const Successors::Successor& next) override {
    if (!next.asks) tuples.push_back(next.as_it_is);
  }
  std::vector<Successors::Tuple> tuples{};
};

void add_severed(std::vector<Duration>& into, const Link& link) {
  for (const Duration severed : {link.requests_severed, link.replies_severed}) {
    if (severed > Duration{}) into.push_back(severed);
  }
}

void add_arrivals(std::vector<Duration>& into, const Link& link) {
  for (const Wire& wire : link.wires) {
    for (const Flight& flight : wire.requests.flights) into.push_back(std::max(flight.arrives, link.requests_severed));
    for (const Flight& flight : wire.replies.flights) into.push_back(std::max(flight.arrives, link.replies_severed));
  }
}

/// When the client's wall clock shows the stamp, and when it shows more.
void add_stamp(std::vector<Duration>& into, const Traits& client, std::int64_t stamp) {
  if (!client.clocks) return;
  const std::int64_t shown_ms = (stamp + (Duration(epoch) + client.now).count()) / 1000;
  for (const std::int64_t ms : {shown_ms - 1, shown_ms}) {
    const Duration at = client.clocks->when_past(ms);
    if (at >= client.now && at < IsolatedHost::never) into.push_back(at - client.now);
  }
}

}  // namespace

/// The same as World::outlook.
Outlook Successors::outlook(const Tuple& tuple) {
  Outlook all;
  const Duration due = until_next(tuple);
  if (due < IsolatedHost::never) all.next = due;
  const auto add = [](std::vector<Duration>& to, const std::vector<Duration>& instants) {
    to.insert(to.end(), instants.begin(), instants.end());
  };
  const auto client_of = [&](std::size_t i) -> const Traits& {
    return p_.hosts_[i]->traits(p_.groups_[i]->parts(tuple[i])[0]);
  };
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Traits& client = client_of(i);
    add(all.events, client.events);
    add(all.readings, client.readings);
    add(all.wakes, client.wakes);
    for (std::size_t server = 0; server < p_.servers_; ++server) {
      const Link& link = p_.links_.at(p_.groups_[i]->link(tuple[i], server));
      add_severed(all.events, link);
      add_severed(all.ends, link);
      if (!client.only_tries) add_arrivals(all.events, link);
      add_arrivals(all.arrivals, link);
    }
  }
  for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) {
    const Traits& server = p_.hosts_[i]->traits(tuple[i]);
    add(all.events, server.events);
    add(all.readings, server.readings);
    add(all.ends, server.ends);
    all.ticks.insert(all.ticks.end(), server.ticks.begin(), server.ticks.end());
    if (i + 1 < p_.host_count_) add(all.milliseconds, server.milliseconds);
    for (const std::int64_t stamp : server.stamps) {
      for (std::size_t c = 0; c < p_.clients_; ++c) add_stamp(all.readings, client_of(c), stamp);
    }
  }
  return all;
}

/// The state without its monitors, and with a budget that is used up. So what is computed while looking ahead from it
/// does not depend on which of the states that differ only in these came first.
Successors::Tuple Successors::calm(const Tuple& tuple) const {
  Tuple calm = tuple;
  std::fill(calm.begin() + static_cast<std::ptrdiff_t>(p_.watch_column_), calm.end(), Id{0});
  calm[p_.budget_column_] = p_.used_up_;
  return calm;
}

/// The possible successors if no fault strikes and no client asks.
std::vector<Successors::Tuple> Successors::without_faults(const Tuple& calm) {
  TupleCollector collected;
  looks_ahead_ = true;
  each_event(calm, collected, p_.reductions_.ties);
  looks_ahead_ = false;
  return std::move(collected.tuples);
}

/// The instants at which something is due within this time of a calm state, in any order of the events of one instant,
/// if no client asks.
std::vector<Duration> Successors::foreseen(const Tuple& tuple, Duration within, int before) {
  const Id known = foreseen_of_.find(tuple.data());
  if (known != Tuples::none && foreseen_[known].within >= within) return foreseen_[known].instants;
  const Outlook now = outlook(tuple);
  std::vector<Duration> all = now.events;
  all.insert(all.end(), now.readings.begin(), now.readings.end());
  if (now.next && *now.next <= within) {
    const Duration due = *now.next;
    const int at_once = due == Duration{} ? before + 1 : 0;
    if (at_once > ahead_at_one_instant_most) refuse_standing_time(p_.shared_.scenario);
    for (const Tuple& next : without_faults(tuple)) {
      if (unknown_) return {};
      for (const Duration instant : foreseen(next, within - due, at_once)) all.push_back(due + instant);
      if (unknown_) return {};
    }
  }
  if (unknown_) return {};
  std::erase_if(all, [&](Duration instant) { return instant > within; });
  sort_once(all);
  const auto [number, added] = foreseen_of_.add(tuple.data());
  if (added) foreseen_.emplace_back();
  foreseen_[number] = {within, all};
  return all;
}

/// Empty if no client may ask.
std::vector<Duration> Successors::asking_instants(const Tuple& tuple) {
  const auto wants = [&](std::size_t client) { return p_.groups_[client]->at(tuple[client]).wants; };
  bool any = false;
  for (std::size_t i = 0; i < p_.clients_; ++i) any |= wants(i);
  if (!any) return {};
  Outlook now = outlook(tuple);
  if (now.next) {
    for (const Tuple& next : without_faults(calm(tuple))) {
      if (unknown_) return {};
      for (const Duration instant : foreseen(next, p_.asking_.reach())) now.future.push_back(*now.next + instant);
    }
    if (unknown_) return {};
  }
  return p_.asking_.instants(now, p_.shared_.budgets.at(tuple[p_.budget_column_]));
}

/// The client has had no connection until now, if that can be and makes a difference; see World::unconnected.
bool Successors::connect(std::size_t client) {
  if (!p_.asking_.minds_first_contact()) return false;
  widen();
  if (p_.hosts_[client]->traits(wide_now_[client]).sent) return false;
  bool changed = false;
  wide_ = wide_now_;
  for (std::size_t server = 0; server < p_.servers_; ++server) {
    Id& link = wide_[p_.link_column(static_cast<int>(client), static_cast<int>(server))];
    if (!p_.links_.has_resets(link)) continue;
    link = Links::initial;
    changed = true;
  }
  if (!changed) return false;
  p_.parts(wide_, client, parts_);
  Id group = p_.groups_[client]->find(parts_.data());
  if (group == Tuples::none) {
    must_learn();
    group = p_.groups_[client]->add(parts_.data());
  }
  now_[client] = group;
  is_wide_ = false;
  return true;
}

void Successors::each_ask(const Tuple& tuple, const std::vector<Duration>& instants, Sink& sink) {
  for (const Duration after : instants) {
    look_at(p_.shared_.stop);
    now_ = tuple;
    age(after);
    if (unknown_) return;
    for (std::size_t client = 0; client < p_.clients_; ++client) {
      if (!p_.groups_[client]->at(tuple[client]).wants) continue;
      Move move{.local = true, .asks = true, .after = after, .host = static_cast<int>(client)};
      show(client, ask_event, move, sink);
      if (unknown_) return;
      if (!connect(client)) continue;
      move.connects = true;
      show(client, ask_event, move, sink);
      now_ = tuple;
      age(after);
      if (unknown_) return;
    }
  }
}

}  // namespace lockproof::sim
