// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/scenario/names.hpp"
#include "sim/explore/commuting_chooser.hpp"

namespace lockproof::sim {

using harness::Fault;
using harness::FaultKind;

namespace {

/// What it does beyond its own host is not in this engine.
bool beyond(FaultKind kind) { return reaches_others(kind); }

}  // namespace

std::string Product::refusal(const harness::Scenario& scenario, const harness::Bounds& bounds) {
  if (scenario.clients.size() > token_clients) return fmt::format("more than {} clients", token_clients);
  for (const harness::ServerSpec& server : scenario.servers) {
    if (!server.replica_of.empty()) return "a replica";
  }
  for (const Fault& fault : scenario.faults) {
    if (beyond(fault.kind)) return fmt::format("a {}", harness::name(fault.kind));
    const bool of_peer = fault.kind == FaultKind::break_connection && fault.when && fault.when->actor == fault.peer;
    if (fault.when && fault.when->actor != fault.target && !of_peer) {
      return "a fault placed by an event of another host";
    }
  }
  for (const harness::BudgetedFault& entry : bounds.budget) {
    if (beyond(entry.kind) && !entry.forms.empty()) return fmt::format("a {}", harness::name(entry.kind));
  }
  return "";
}

Product::Product(const harness::Scenario& scenario, const harness::Bounds& bounds, redis::ScriptEngine& scripts,
                 bool offsets, bool reduce)
    : shared_{.scenario = scenario, .bounds = bounds, .scripts = scripts, .offsets = offsets}, reduce_(reduce),
      messages_take_time_(scenario.network.latency.least > Duration{}), clients_(scenario.clients.size()),
      servers_(scenario.servers.size() + 1), host_count_(clients_ + servers_), links_(shared_.letters),
      watchers_(shared_) {
  budget_column_ = host_count_ + clients_ * servers_;
  watch_column_ = budget_column_ + 1;
  column_count_ = watch_column_ + 1;
  Letter gone{.reply = Reply::nil(), .reset = true};
  reset_letter_ = shared_.letters.add(gone);
  for (std::size_t i = 0; i < host_count_; ++i) hosts_.push_back(std::make_unique<Host>(shared_, static_cast<int>(i)));
}

std::vector<Product::Tuple> Product::initial() {
  Tuple plain(column_count_, 0);
  std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(host_count_), clients_ * servers_, Links::initial);
  plain[budget_column_] = shared_.budgets.add(std::vector<int>(shared_.bounds.budget.size(), 0));
  std::vector<Tuple> all{plain};
  // As the world asks: one fault after the other, in the order of the budget.
  struct Open {
    Tuple tuple;
    std::size_t first;
    Choices choices;
  };
  std::vector<Open> open{{plain, 0, {}}};
  const auto names = [&](const std::string& name) {
    for (std::size_t i = 0; i < clients_; ++i) {
      if (shared_.scenario.clients[i].name == name) return i;
    }
    for (std::size_t i = 0; i + 1 < servers_; ++i) {
      if (shared_.scenario.servers[i].name == name) return clients_ + i;
    }
    throw std::logic_error("a fault of nobody");
  };
  while (!open.empty()) {
    const Open from = std::move(open.back());
    open.pop_back();
    Budget budget(shared_.scenario, &shared_.bounds);
    budget.resume(shared_.budgets.at(from.tuple[budget_column_]));
    const std::vector<Budget::Offer> offers = budget.initial_offers(from.first);
    starts_[from.tuple] = from.choices;
    if (!offers.empty()) starts_[from.tuple].push_back(0);
    std::uint16_t number = 0;
    for (const Budget::Offer& offer : offers) {
      const Fault& form = shared_.bounds.budget[offer.entry].forms[offer.form];
      const std::size_t host = names(form.target);
      Input input{
          .kind = Input::Kind::struck, .n = static_cast<int>(offer.entry), .peer = static_cast<int>(offer.form)};
      input.budget = budget.counts();
      Open to{from.tuple, offer.entry, from.choices};
      to.choices.push_back(++number);
      const Outcome& outcome =
          hosts_[host]
              ->step(from.tuple[host], key(from.tuple[host], input, 0, from.tuple[budget_column_]), input)
              .front();
      to.tuple[host] = outcome.state;
      to.tuple[budget_column_] = outcome.budget;
      all.push_back(to.tuple);
      open.push_back(std::move(to));
    }
  }
  return all;
}

const Choices& Product::start_of(const Tuple& initial) const { return starts_.at(initial); }

Duration Product::until_next(const Tuple& tuple) const {
  Duration due = Cell::never;
  for (std::size_t i = 0; i < host_count_; ++i) due = std::min(due, hosts_[i]->traits(tuple[i]).due);
  for (std::size_t i = host_count_; i < budget_column_; ++i) due = std::min(due, links_.due(tuple[i]));
  return due;
}

Id Product::link_age(Id link, Duration by) {
  if (links_.timeless(link)) return link;
  const Key128 at{static_cast<std::uint64_t>(by.count()), link};
  const Id known = link_ages_.find(at);
  if (known != FlatMap::none) return known;
  const Id id = links_.add(aged(links_.at(link), by, shared_.letters));
  link_ages_.insert(at, id);
  return id;
}

void Product::age(Tuple& tuple, Duration by) {
  if (by == Duration{}) return;
  for (std::size_t i = 0; i < host_count_; ++i) tuple[i] = hosts_[i]->aged(tuple[i], by);
  for (std::size_t i = host_count_; i < budget_column_; ++i) tuple[i] = link_age(tuple[i], by);
  tuple[watch_column_] = watchers_.aged(tuple[watch_column_], by);
}

/// Shows some of what is due only, if the rest commutes with it: see commuting_chooser.hpp. False: it does not.
bool Product::each_of_fewer(Sink& sink) {
  for (std::size_t i = 0; i < host_count_; ++i) {
    const Traits& traits = hosts_[i]->traits(now_[i]);
    if (traits.due == Duration{} && traits.plans > 0) return false;
  }
  for (std::size_t client = 0; client < clients_; ++client) {
    if (hosts_[client]->traits(now_[client]).due == Duration{}) continue;
    for (std::size_t server = 0; server < servers_; ++server) {
      if (put_down(static_cast<int>(client), static_cast<int>(server), sink)) return true;
    }
  }
  for (std::size_t server = 0; server < servers_; ++server) {
    bool any = false;
    for (std::size_t client = 0; client < clients_; ++client) {
      const Id link = now_[link_column(static_cast<int>(client), static_cast<int>(server))];
      if (links_.due(link) != Duration{}) continue;
      any |= std::ranges::any_of(links_.arrivals(link), [](const Arrival& a) { return !a.reply; });
    }
    if (!any) continue;
    for (std::size_t client = 0; client < clients_; ++client) {
      arrivals(static_cast<int>(client), static_cast<int>(server), true, sink);
    }
    return true;
  }
  return false;
}

bool Product::each_successor(const Tuple& tuple, Sink& sink) {
  const Duration due = until_next(tuple);
  if (due >= Cell::never) return false;
  now_ = tuple;
  age(now_, due);
  if (reduce_ && messages_take_time_ && each_of_fewer(sink)) return true;
  for (std::size_t host = 0; host < host_count_; ++host) locals(host, sink);
  for (std::size_t client = 0; client < clients_; ++client) {
    for (std::size_t server = 0; server < servers_; ++server) {
      arrivals(static_cast<int>(client), static_cast<int>(server), false, sink);
    }
  }
  return true;
}

std::uint64_t Product::tokens_of(int client) const {
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < host_count_; ++i) tokens |= hosts_[i]->traits(now_[i]).tokens;
  for (std::size_t i = host_count_; i < budget_column_; ++i) tokens |= links_.tokens(now_[i]);
  return tokens >> (client * token_names) & ((std::uint64_t{1} << token_names) - 1);
}

Key128 Product::key(Id state, const Input& input, Id letter, Id budget) const {
  const auto bits = [](auto n, unsigned width) {
    const auto value = static_cast<std::uint64_t>(n);
    if (value >> width != 0) throw std::runtime_error("a part of an input is too large for the search");
    return value;
  };
  std::uint64_t high = bits(input.kind, 4);
  high = high << 7 | bits(input.n, 7);
  high = high << 7 | bits(input.peer, 7);
  high = high << 6 | bits(input.slot, 6);
  high = high << 7 | bits(input.distance + 1, 7);
  high = high << 16 | bits(budget, 16);
  high = high << 16 | bits(input.tokens, 16);
  return {high, std::uint64_t{state} << 32 | letter};
}

/// What the look-up needs is small; the whole input is made only for what is worked out.
const std::vector<Outcome>& Product::step(std::size_t host, Input& input, Id letter) {
  const Key128 at = key(now_[host], input, letter, now_[budget_column_]);
  if (const auto* known = hosts_[host]->known(at)) return *known;
  Input whole = input;
  if (host < clients_) whole.tokens = input.tokens << (static_cast<int>(host) * token_names);
  whole.budget = shared_.budgets.at(now_[budget_column_]);
  if (input.kind == Input::Kind::letter) whole.letter = shared_.letters.at(letter);
  return hosts_[host]->step(now_[host], at, whole);
}

void Product::locals(std::size_t host, Sink& sink) {
  const Traits& traits = hosts_[host]->traits(now_[host]);
  if (traits.due != Duration{}) return;
  for (int n = 0; n < traits.locals; ++n) {
    Input input{.kind = Input::Kind::local, .n = n};
    if (host < clients_) input.tokens = tokens_of(static_cast<int>(host));
    Move move{.local = true, .host = static_cast<int>(host), .n = n};
    for (const Outcome& outcome : step(host, input, 0)) {
      next_ = now_;
      finish(outcome, host, move, sink);
    }
  }
}

Id Product::without(Id link, const Arrival& arrival) {
  const Key128 at{std::uint64_t{arrival.wire} * 2 + arrival.reply, link};
  const Id known = taken_.find(at);
  if (known != FlatMap::none) return known;
  const Id rest = links_.add(taken(links_.at(link), arrival));
  taken_.insert(at, rest);
  return rest;
}

const std::vector<Outcome>& Product::outcomes_of(int client, int server, const Arrival& arrival) {
  const Wire& wire = links_.at(now_[link_column(client, server)]).wires[arrival.wire];
  const Flight& flight = (arrival.reply ? wire.replies : wire.requests).flights.front();
  Input input{.kind = Input::Kind::letter, .peer = arrival.reply ? server : client};
  input.slot = wire.slot;
  input.distance = flight.distance;
  if (arrival.reply) input.tokens = tokens_of(client);
  return step(arrival.reply ? static_cast<std::size_t>(client) : server_column(server), input, flight.letter);
}

void Product::arrivals(int client, int server, bool requests_only, Sink& sink) {
  const std::size_t column = link_column(client, server);
  const Id link = now_[column];
  if (links_.due(link) != Duration{}) return;
  int before[2] = {0, 0};
  for (const Arrival& arrival : links_.arrivals(link)) {
    Move move{.local = false, .client = client, .server = server, .reply = arrival.reply};
    move.before = before[arrival.reply]++;
    if (requests_only && arrival.reply) continue;
    const std::size_t host = arrival.reply ? static_cast<std::size_t>(client) : server_column(server);
    if (arrival.reply && links_.at(link).wires[arrival.wire].closed) {  // nobody listens
      next_ = now_;
      next_[column] = without(link, arrival);
      tidy(next_, client, server);
      const Outcome nothing{.state = now_[host], .budget = now_[budget_column_]};
      finish(nothing, host, move, sink);
      continue;
    }
    for (const Outcome& outcome : outcomes_of(client, server, arrival)) {
      next_ = now_;
      next_[column] = without(link, arrival);
      finish(outcome, host, move, sink);
    }
  }
}

/// The first reply over this link that only fills a place, alone.
bool Product::put_down(int client, int server, Sink& sink) {
  const std::size_t column = link_column(client, server);
  const Id link = now_[column];
  if (links_.due(link) != Duration{}) return false;
  int before = 0;
  for (const Arrival& arrival : links_.arrivals(link)) {
    if (!arrival.reply) continue;
    Move move{.client = client, .server = server, .reply = true, .before = before++};
    if (links_.at(link).wires[arrival.wire].closed) continue;
    const std::vector<Outcome>& outcomes = outcomes_of(client, server, arrival);
    if (!outcomes.front().put_down) continue;
    for (const Outcome& outcome : outcomes) {
      next_ = now_;
      next_[column] = without(link, arrival);
      finish(outcome, static_cast<std::size_t>(client), move, sink);
    }
    return true;
  }
  return false;
}

void Product::finish(const Outcome& outcome, std::size_t host, Move& move, Sink& sink) {
  static const Watchers::Ways nothing;
  next_[host] = outcome.state;
  next_[budget_column_] = outcome.budget;
  if (host < clients_) {
    client_posts(next_, static_cast<int>(host), outcome);
  } else {
    server_posts(next_, static_cast<int>(host - clients_), outcome);
  }
  for (const Severed& cut : outcome.severed) sever(next_, host, cut);
  const Watchers::Ways* broken = &nothing;
  std::string_view kind;
  if (outcome.events != EventLists::empty) {
    const Watchers::Seen& seen = watchers_.seen(next_[watch_column_], outcome.events);
    next_[watch_column_] = seen.state;
    broken = &seen.broken;
    if (shared_.events.enters(outcome.events)) kind = exclusion(next_, host, shared_.events.promised(outcome.events));
  }
  for (const Id lost : losses_) next_[watch_column_] = watchers_.seen(next_[watch_column_], lost).state;
  losses_.clear();
  move.choices = &outcome.choices;
  sink.see({next_, move, shared_.events.enters(outcome.events), contends(next_, host, outcome.events), *broken, kind});
}

/// Finds the lock taken, or asks for it while somebody else does or is inside.
bool Product::contends(const Tuple& tuple, std::size_t host, Id events) const {
  bool rival = shared_.events.contends(events);
  for (std::size_t i = 0; i < clients_ && shared_.events.asks(events); ++i) {
    rival |= i != host && hosts_[i]->traits(tuple[i]).interested;
  }
  return rival;
}

std::string_view Product::exclusion(const Tuple& tuple, std::size_t entering, bool promised) const {
  std::string_view worst;
  for (std::size_t i = 0; i < clients_; ++i) {
    const Traits& other = hosts_[i]->traits(tuple[i]);
    if (i == entering || !other.inside) continue;
    if (promised && other.entitled) return "double-grant";
    worst = "outlived";
  }
  return worst;
}

std::string Product::sizes() const {
  std::string text;
  for (std::size_t i = 0; i < host_count_; ++i) text += fmt::format("{}{}", i ? "+" : "", hosts_[i]->size());
  std::uint64_t computed = 0;
  for (const auto& host : hosts_) computed += host->computed();
  return fmt::format("{} states of hosts, {} of links, {} steps worked out", text, links_.size(), computed);
}

}  // namespace lockproof::sim
