// SPDX-License-Identifier: Apache-2.0
// The part of Successors in which hosts and links stand alone: messages that leave a host enter links, and connections
// end.
#include <algorithm>

#include "search/state_space/successors.hpp"

namespace lockproof::sim {
namespace {

bool is_reset(const Link& link, int slot) {
  return std::ranges::any_of(link.wires, [&](const Wire& w) { return w.slot == slot && !w.closed && w.reset; });
}

InputKey key_of(const Input& input) { return {input.kind, input.n, input.peer, input.slot, input.distance, 0}; }

}  // namespace

void Successors::widen() {
  if (std::exchange(is_wide_, true)) return;
  wide_now_.assign(p_.wide_budget_ + 1, 0);
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Id* parts = p_.groups_[i]->parts(now_[i]);
    wide_now_[i] = parts[0];
    std::copy_n(parts + 1, p_.servers_, &wide_now_[p_.link_column(static_cast<int>(i), 0)]);
  }
  std::copy(&now_[p_.clients_], &now_[p_.host_count_], &wide_now_[p_.clients_]);
  wide_now_[p_.wide_budget_] = now_[p_.budget_column_];
}

/// The look-up needs only a small key; the whole input is made only for a step that is computed.
const std::vector<Outcome>& Successors::step(std::size_t host, Id state, const InputKey& input, Id letter, Id budget) {
  const Id rest = p_.shared_.budgets.rest(budget);
  const Key128 at = Host::key(state, input, letter, rest);
  if (const auto* known = p_.hosts_[host]->known(at)) return *known;
  static const std::vector<Outcome> nothing;
  if (gives_up()) return nothing;
  Input whole{.kind = input.kind, .n = input.n, .peer = input.peer, .slot = input.slot, .distance = input.distance};
  if (host < p_.clients_) whole.tokens = input.tokens << (host * token_names);
  whole.budget = p_.shared_.budgets.at(rest);
  if (input.kind == Input::Kind::letter) whole.letter = p_.shared_.letters.at(letter);
  return p_.hosts_[host]->step(state, at, whole);
}

Id Successors::quiet_step(int server, Id state, std::uint64_t key, const Input& input) {
  Host& host = *p_.hosts_[p_.server_column(server)];
  const Key128 at{key, std::uint64_t{state} << 32};
  if (const auto* known = host.known(at)) return known->front().state;
  if (gives_up()) return state;
  return host.quiet_step(state, at, input);
}

void Successors::quiet(int server, Input input) {
  input.n = p_.shared_.sites.place_of(server);
  const std::uint64_t key = Host::key(0, key_of(input), 0, 0).high;
  if (told_) return told_->push_back({server, key, input});
  Id& state = wide_[p_.server_column(server)];
  state = quiet_step(server, state, key, input);
}

void Successors::wide_local(std::size_t host, Move& move, Sink& sink) {
  InputKey input{.kind = move.asks ? Input::Kind::ask : Input::Kind::local, .n = move.n};
  if (host < p_.clients_) input.tokens = tokens_of(host);
  widen();
  for (const Outcome& outcome : step(host, wide_now_[host], input, 0)) {
    wide_ = wide_now_;
    finish(outcome, host, move, sink);
  }
}

const std::vector<Outcome>& Successors::outcomes_of(int client, int server, const Arrival& arrival) {
  widen();
  const Wire& wire = p_.links_.at(wide_now_[p_.link_column(client, server)]).wires[arrival.wire];
  const Flight& flight = wire.replies.flights.front();
  const auto of = static_cast<std::size_t>(client);
  const InputKey input{.kind = Input::Kind::letter,
                       .peer = server,
                       .slot = wire.slot,
                       .distance = flight.distance,
                       .tokens = tokens_of(of)};
  return step(of, wide_now_[of], input, flight.letter);
}

/// A reply arrives, while a paused server holds letters.
void Successors::wide_arrival(const Arrival& arrival, Move& move, Sink& sink) {
  widen();
  const auto host = static_cast<std::size_t>(move.client);
  const std::size_t column = p_.link_column(move.client, move.server);
  const Id rest = without(wide_now_[column], arrival);
  if (arrival.closed) {  // nothing receives it
    wide_ = wide_now_;
    wide_[column] = rest;
    tidy(move.client, move.server);
    static const Outcome nothing{};
    const Part part{host, &nothing};
    narrow({&part, 1}, move, sink);
    return;
  }
  for (const Outcome& outcome : outcomes_of(move.client, move.server, arrival)) {
    wide_ = wide_now_;
    wide_[column] = rest;
    finish(outcome, host, move, sink);
  }
}

/// Delivers the outputs of a host's step.
void Successors::carry(const Outcome& outcome, std::size_t host) {
  wide_[host] = outcome.state;
  wide_[p_.wide_budget_] = budget_after(wide_[p_.wide_budget_], outcome.used);
  host < p_.clients_ ? client_posts(static_cast<int>(host), outcome) : server_posts(host, outcome);
  for (const LinkCut& cut : outcome.severed) sever(cut);
}

/// A client's event that has consequences elsewhere.
void Successors::wide_effect(std::size_t client, std::uint32_t event, const Outcome& outcome, Move& move, Sink& sink) {
  widen();
  wide_ = wide_now_;
  if ((event & reply_bit) != 0) {
    Id& link = wide_[p_.link_column(static_cast<int>(client), static_cast<int>((event & ~reply_bit) >> place_bits))];
    link = without(link, Arrival(p_.links_.arrivals(link)[event & place_mask]));
  }
  finish(outcome, client, move, sink);
}

void Successors::finish(const Outcome& outcome, std::size_t host, Move& move, Sink& sink) {
  carry(outcome, host);
  Parts parts{{host, &outcome}};
  FollowUps open;
  add_open(open, 0, outcome);
  go_on(parts, std::move(open), move, sink);
}

/// The last one first.
void Successors::add_open(FollowUps& open, std::size_t because_of, const Outcome& outcome) {
  for (std::size_t i = outcome.consequences.size(); i-- > 0;) {
    for (const Reset& one : outcome.resets) {
      if (one.after == i + 1) open.push_back({because_of, nullptr, &one});
    }
    open.push_back({because_of, &outcome.consequences[i], nullptr});
  }
}

/// What follows at other sites at the same instant, one after the other; what follows from that comes before the next.
/// `open`: the last one is the next.
void Successors::go_on(Parts& parts, FollowUps open, Move& move, Sink& sink) {
  if (open.empty()) return narrow(parts, move, sink);
  const auto [because_of, reaching, ended] = open.back();
  open.pop_back();
  if (ended) {
    reset(*ended);
    tidy(ended->client, ended->server);
    return go_on(parts, std::move(open), move, sink);
  }
  const Consequence* const next = &reaching->consequence;
  InputKey input{.kind = next->kind, .n = next->n, .peer = next->peer};
  if (next->site < p_.clients_) input.tokens = tokens_now(next->site);
  const Wide before = wide_;
  const std::vector<Id> losses = losses_;
  for (const Outcome& outcome : step(next->site, before[next->site], input, 0, before[p_.wide_budget_])) {
    wide_ = before;
    losses_ = losses;
    carry(outcome, next->site);
    auto still_open = open;
    add_open(still_open, parts.size(), outcome);
    parts.push_back({next->site, &outcome, because_of, reaching});
    go_on(parts, std::move(still_open), move, sink);
    parts.pop_back();
  }
}

/// The client's tokens that are in use after what has happened so far.
std::uint64_t Successors::tokens_now(std::size_t client) const {
  std::uint64_t in_use = tokens_ | p_.hosts_[client]->summary(wide_[client]).tokens;
  for (std::size_t server = 0; server < p_.servers_; ++server) {
    in_use |= bits_of(p_.links_.names(wide_[p_.link_column(static_cast<int>(client), static_cast<int>(server))]));
  }
  return in_use >> (client * token_names) & ((std::uint64_t{1} << token_names) - 1);
}

void Successors::narrow(std::span<const Part> parts, Move& move, Sink& sink) {
  next_ = now_;
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    p_.parts(wide_, i, parts_);
    next_[i] = p_.groups_[i]->find(parts_.data());
    if (next_[i] != Tuples::none) continue;
    must_learn();
    next_[i] = p_.groups_[i]->add(parts_.data());
  }
  std::copy(&wide_[p_.clients_], &wide_[p_.host_count_], &next_[p_.clients_]);
  next_[p_.budget_column_] = wide_[p_.wide_budget_];
  judge(parts, losses_, move, sink);
  losses_.clear();
}

Id Successors::loss(int client, int server, int distance) {
  const Key128 at{static_cast<std::uint64_t>(distance + 1),
                  static_cast<std::uint64_t>(client) << 32 | static_cast<std::uint64_t>(server)};
  const Id known = p_.lost_.find(at);
  if (known != FlatMap::none) return known;
  must_learn();
  const Id id = p_.shared_.events.losses(client, p_.server_host(server), {distance});
  p_.lost_.insert(at, id);
  return id;
}

Id Successors::link_age(Id link, Duration by) {
  if (p_.links_.timeless(link)) return link;
  return changed(p_.link_ages_, link, static_cast<std::uint64_t>(by.count()),
                 [&](const Link& old) { return aged(old, by, p_.shared_.letters); });
}

Id Successors::without(Id link, const Arrival& arrival) {
  return changed(p_.taken_, link, std::uint64_t{arrival.wire} * 2 + arrival.reply,
                 [&](const Link& old) { return taken(old, arrival); });
}

/// The distance of messages sent before, still under way or held at the server, grows by this number of commands.
void Successors::shift(int client, int server, int sent) {
  Id& link = wide_[p_.link_column(client, server)];
  if (p_.links_.has_commands(link)) {
    link = changed(p_.sent_, link, static_cast<std::uint64_t>(sent), [&](const Link& l) { return with_sent(l, sent); });
  }
  const std::size_t host = p_.server_column(server);
  if (p_.hosts_[host]->traits(wide_[host]).held.empty()) return;
  const Input one{.kind = Input::Kind::shift, .peer = client};
  for (int i = 0; i < sent; ++i) quiet(server, one);
}

/// Canonical messages to one server are contiguous, those that left before a connection was closed first.
void Successors::client_posts(int client, const Outcome& outcome) {
  for (std::size_t server = 0; server < outcome.sent.size(); ++server) {
    if (outcome.sent[server] > 0) shift(client, static_cast<int>(server), outcome.sent[server]);
  }
  const auto post = [&](const PostedMessage& posted) {
    Id& link = wide_[p_.link_column(client, posted.peer)];
    if (posted.flight.distance >= 0 && p_.links_.has_resets(link) && is_reset(p_.links_.at(link), posted.slot)) {
      losses_.push_back(loss(client, posted.peer, posted.flight.distance));
    }
    link = push_request(link, posted);
  };
  if (outcome.closed.empty()) {
    for (const PostedMessage& posted : outcome.posted) post(posted);
    return open_further(client, outcome);
  }
  for (std::size_t server = 0; server < p_.servers_; ++server) {
    std::size_t posted_here = 0;
    const auto close_here = [&] {
      for (const ClosedConnections& one : outcome.closed) {
        if (one.peer == static_cast<int>(server) && one.before == posted_here) close(client, one);
      }
    };
    close_here();
    for (const PostedMessage& posted : outcome.posted) {
      if (posted.peer != static_cast<int>(server)) continue;
      post(posted);
      ++posted_here;
      close_here();
    }
  }
  open_further(client, outcome);
}

void Successors::open_further(int client, const Outcome& outcome) {
  for (const auto& [server, slot] : outcome.opened) {
    Id& link = wide_[p_.link_column(client, server)];
    link = changed(p_.opened_, link, static_cast<std::uint64_t>(slot),
                   [&](const Link& old) { return with_opened(old, slot); });
  }
}

/// All connections of a client to a server end, or one, at the server.
void Successors::reset(const Reset& reset) {
  const int client = reset.client, server = reset.server, slot = reset.slot;
  const auto host = static_cast<std::size_t>(client);
  if (!p_.hosts_[host]->traits(wide_[host]).begun) return;
  Id& column = wide_[p_.link_column(client, server)];
  std::vector<int> lost;
  for (const Wire& wire : p_.links_.at(column).wires) {
    if (slot != Reset::all && wire.slot != slot) continue;
    for (const Flight& flight : wire.requests.flights) {
      if (flight.distance >= 0) lost.push_back(flight.distance);
    }
  }
  if (!lost.empty()) must_learn();
  if (!lost.empty()) losses_.push_back(p_.shared_.events.losses(client, p_.server_host(server), lost));
  const Flight news{.letter = p_.reset_message_, .distance = -1};
  const bool first_alone = !p_.shared_.scenario.program;  // see Process::minds
  column = changed(p_.reset_, column, static_cast<std::uint64_t>(slot + 1), [&](const Link& link) {
    return with_reset(link, slot, news, p_.shared_.scenario.network.latency.least, first_alone);
  });
}

void Successors::sever(const LinkCut& cut) {
  must_learn();
  Id& column = wide_[p_.link_column(cut.client, cut.server)];
  column = p_.links_.add(severed(p_.links_.at(column), cut.replies, cut.lasts));
}

void Successors::server_posts(std::size_t site, const Outcome& outcome) {
  for (const PostedMessage& posted : outcome.posted) {
    Id& link = wide_[p_.link_column(posted.peer, posted.server)];
    link = push_reply(link, posted);
    if (posted.refused) losses_.push_back(loss(posted.peer, posted.server, posted.flight.distance));
  }
  for (const Reset& one : outcome.resets) {
    if (one.after == 0) reset(one);
  }
  for (const int server : p_.shared_.sites.servers_of(site)) {
    for (std::size_t client = 0; client < p_.clients_; ++client) tidy(static_cast<int>(client), server);
  }
}

/// The change of a link, computed once for each.
template <class Change>
Id Successors::changed(FlatMap& known, Id link, std::uint64_t how, Change change) {
  const Key128 at{how, link};
  const Id before = known.find(at);
  if (before != FlatMap::none) return before;
  must_learn();
  const Id id = p_.links_.add(change(p_.links_.at(link)));
  known.insert(at, id);
  return id;
}

Id Successors::push_request(Id link, const PostedMessage& posted) {
  return changed(p_.requests_, link, posted.number,
                 [&](const Link& old) { return with_request(old, posted.slot, posted.flight, posted.way); });
}

Id Successors::push_reply(Id link, const PostedMessage& posted) {
  return changed(p_.replies_, link, posted.number,
                 [&](const Link& old) { return with_reply(old, posted.slot, posted.flight, posted.way); });
}

void Successors::close(int client, const ClosedConnections& how) {
  const int server = how.peer;
  Id& column = wide_[p_.link_column(client, server)];
  const Id before = column;
  const Id after = changed(how.reopened ? p_.reopened_ : p_.closed_, before, how.slots,
                           [&](const Link& link) { return closed(link, how, p_.shared_.letters); });
  for (std::size_t i = 0; i < p_.links_.at(before).wires.size(); ++i) {
    rename(client, server, p_.links_.at(before).wires[i].slot, p_.links_.at(after).wires[i].slot);
  }
  column = after;
  tidy(client, server);
}

void Successors::rename(int client, int server, int from, int to) {
  if (from == to) return;
  quiet(server, {.kind = Input::Kind::renamed, .peer = client, .slot = from, .distance = to});
}

/// A closed connection that is empty, on the way and in a paused server, is forgotten on both sides.
void Successors::tidy(int client, int server) {
  Id& column = wide_[p_.link_column(client, server)];
  if (!p_.links_.has_idle_wires(column)) return;
  const std::size_t host = p_.server_column(server);
  const auto& held = p_.hosts_[host]->traits(wide_[host]).held;
  const int place = p_.shared_.sites.place_of(server);
  const auto is_held = [&](int slot) { return std::ranges::find(held, HeldReply{place, client, slot}) != held.end(); };
  const auto rest = [&](const Link& link) { return tidied(link, is_held); };
  if (!held.empty()) must_learn();
  const Id after = held.empty() ? changed(p_.tidied_, column, 0, rest) : p_.links_.add(rest(p_.links_.at(column)));
  // The slot of a closed connection must not depend on which others there were.
  std::size_t left = 0;
  for (const Wire& wire : p_.links_.at(column).wires) {
    if (idle(wire) && !is_held(wire.slot)) {
      quiet(server, {.kind = Input::Kind::disconnected, .peer = client, .slot = wire.slot});
    } else {
      rename(client, server, wire.slot, p_.links_.at(after).wires[left++].slot);
    }
  }
  column = after;
}

}  // namespace lockproof::sim
