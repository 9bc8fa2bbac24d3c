// SPDX-License-Identifier: Apache-2.0
#include "search/automata/isolated_host.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "algorithms/port/clock.hpp"
#include "search/automata/rewritten.hpp"
#include "search/automata/unrepresentable.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::Phase;

static_assert(Process::connections_most <= first_closed_slot);

harness::Scenario IsolatedHost::alone(const harness::Scenario& scenario, std::size_t site) {
  harness::Scenario cell = scenario;
  for (std::size_t i = 0; i < cell.clients.size(); ++i) {
    if (i == site) continue;
    cell.clients[i].plan.period.reset();
    cell.clients[i].plan.start = never * 2;
  }
  return cell;
}

IsolatedHost::IsolatedHost(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models,
                           const Sites& sites, std::size_t site)
    : sites_(sites), site_(site), clients_(static_cast<int>(sites.clients())),
      world_(
          scenario, chooser_,
          {.record = true,
           .record_inputs = false,
           .token_name = [this](int of, int) { return client() && of == host() + 1 ? to_text(next_name()) : "c0.0"; },
           .budget = &budget,
           .encoding = true,
           .models = &models,
           .runs_elsewhere = [this](HostIndex host) { return !is_here(host); }}) {
  world_.tell_elsewhere([this](const World::RemoteEffect& event) {
    Consequence consequence{.site = sites_.of_host(event.host)};
    if (event.fault) {
      consequence.n = static_cast<int>(*event.fault);
    } else {
      consequence.kind = Input::Kind::redirected;
      consequence.n = event.from - clients_;
      consequence.peer = event.to - clients_;
    }
    consequence.noted = world_.history().events.size();
    note_resets();
    reached_.push_back({consequence, occasions_.size(), chooser_.made()});
  });
  std::erase_if(world_.plans_, [&](const World::PlannedFault& plan) {
    return !is_here(world_.history_.host_named(world_.faults_[plan.fault].target));
  });
  std::erase_if(world_.sentinels_, [&](const Sentinel& sentinel) { return !is_here(sentinel.master); });
  rounds_matter_ = std::ranges::any_of(world_.servers_, [](const auto& s) { return !s->triggers.none(); });
  remember_connections();
}

/// The name that the input gives, or the client's first free one.
TokenName IsolatedHost::next_name() {
  const std::size_t place = drawn_.size();
  if (place < dictated_.size()) return drawn_.emplace_back(dictated_[place]);
  for (int n = 1; n <= token_names; ++n) {
    const TokenName name = token_name(host(), n);
    if ((names_in_use_ & bit_of(name)) != 0) continue;
    names_in_use_ |= bit_of(name);
    return drawn_.emplace_back(name);
  }
  throw UnrepresentableState("more tokens of a client are in use at once");
}

std::vector<Question> IsolatedHost::feed_and_listen(const Input& input) {
  world_.budget_.watch([this](const std::vector<Budget::Offer>& ever, const std::vector<Budget::Offer>& now) {
    occasions_.push_back({chooser_.made(), ever, now});
  });
  feed(input);
  world_.budget_.watch({});
  std::vector<Question> asked;
  auto occasion = occasions_.begin();
  const auto number_consequences = [&](std::size_t made) {
    for (Reach& one : reached_) {
      const auto before = static_cast<std::size_t>(occasion - occasions_.begin());
      if (one.occasions >= before && one.made >= made) one.consequence.answered = asked.size();
    }
  };
  for (std::size_t i = 0; i <= chooser_.made(); ++i) {
    bool strike = false;
    for (; occasion != occasions_.end() && occasion->made == i; ++occasion) {
      number_consequences(i);
      asked.push_back({.strike = true, .offers = occasion->ever});
      strike = !occasion->now.empty();
      if (!strike || chooser_.path()[i] == 0) continue;
      const auto taken = std::ranges::find(occasion->ever, occasion->now[chooser_.path()[i] - 1u]);
      asked.back().answer = static_cast<std::size_t>(taken - occasion->ever.begin()) + 1;
    }
    number_consequences(i);
    if (strike || i == chooser_.made()) continue;
    asked.push_back({.options = chooser_.options()[i], .answer = chooser_.path()[i]});
  }
  return asked;
}

void IsolatedHost::remember_connections() {
  if (!client()) return;
  before_ = process().connections_;
  further_before_ = process().further_;
  sent_before_ = process().sent_;
  crashed_before_ = process().crashed_;
}

Connection& IsolatedHost::connection(const Input& input) {
  if (client()) {
    return process().connection_in(clients_ + input.peer, static_cast<std::size_t>(input.slot));
  }
  Connection*& known = by_slot_[{input.n, input.peer, input.slot}];
  if (!known) {
    known = &world_.connect(static_cast<HostIndex>(input.peer),
                            static_cast<HostIndex>(clients_ + servers().at(static_cast<std::size_t>(input.n))));
    known->closed = input.slot >= first_closed_slot;  // before its first command came here
  }
  return *known;
}

void IsolatedHost::feed(const Input& input) {
  chooser_.follow(input.choices);
  dictated_ = input.drawn;
  drawn_.clear();
  occasions_.clear();
  reached_.clear();
  buffered_ = false;
  if (input.kind == Input::Kind::age) {
    world_.now_ += input.by;
    return;
  }
  names_in_use_ = input.tokens;
  world_.budget_.resume(input.budget);
  remember_connections();
  if (!client()) world_.look_at_ended_cuts();
  feed_event(input);
  if (!client()) world_.listen_to_servers();
}

void IsolatedHost::feed_event(const Input& input) {
  switch (input.kind) {
    case Input::Kind::local: {
      world_.collect();
      if (world_.next_ > world_.now_) throw std::logic_error("nothing of this host is due");
      return world_.perform(World::Candidate(world_.candidates_.at(static_cast<std::size_t>(input.n))));
    }
    case Input::Kind::letter: return deliver(input);
    case Input::Kind::shift: return shift(server(input.n), input.peer);
    case Input::Kind::renamed: {
      Connection* const renamed = std::exchange(by_slot_[{input.n, input.peer, input.slot}], nullptr);
      by_slot_[{input.n, input.peer, input.distance}] = renamed;
      if (renamed) renamed->closed = true;  // the server still answers on it, but sends no news there
      return;
    }
    case Input::Kind::disconnected: {
      const auto known = by_slot_.find({input.n, input.peer, input.slot});
      if (known == by_slot_.end() || !known->second) return;
      server(input.n).model->disconnected(known->second->number);
      known->second = nullptr;
      return;
    }
    case Input::Kind::ask: return process().ask();
    case Input::Kind::struck: {
      world_.faults_.push_back(
          world_.budget_.take({static_cast<std::size_t>(input.n), static_cast<std::size_t>(input.peer)}, nullptr));
      world_.plan({world_.now_, world_.faults_.size() - 1, false});
      return;
    }
    case Input::Kind::triggered: return world_.trigger_fault(static_cast<std::size_t>(input.n), nullptr, 0);
    case Input::Kind::redirected: return process().redirect(clients_ + input.n, clients_ + input.peer);
    case Input::Kind::age: return;
  }
}

/// The client has sent one more command to the server, behind all that the server holds of it.
void IsolatedHost::shift(Server& server, int client) {
  for (auto* list : {&server.inbox, &server.held}) {
    for (Server::UnreadRequest& unseen : *list) {
      unseen.request.number -= unseen.connection->client == client && !unseen.request.hang_up;
    }
  }
  for (auto& [to, message] : server.waiting) message.number -= to->client == client;
  for (auto& [to, message] : server.outbox) message.number -= to->client == client;
}

void IsolatedHost::deliver(const Input& input) {
  Connection& over = connection(input);
  Message message = message_of(input);
  if (client()) {
    buffered_ = process().only_buffers(over, message);
    process().arrive(over, std::move(message));
    return;
  }
  message.answer_lost = input.letter.reply_lost;
  message.answer_late = input.letter.reply_late;
  world_.deliver({&over, std::move(message), false});
}

/// Numbers are counted back from the last command that was sent: by the client itself, or as the server sees it.
Message IsolatedHost::message_of(const Input& input) {
  const auto move = [this](const Value& value) { return moved(value, false); };
  Message message{.command = rewritten(input.letter.command, move), .reply = std::nullopt};
  message.round = input.letter.round;
  message.occurrence = 1;
  message.refused = input.letter.refused;
  message.push = input.letter.push;
  message.reset = input.letter.reset;
  message.hang_up = input.letter.hang_up;
  if (input.letter.reply) message.reply = rewritten(*input.letter.reply, move);
  message.key = input.letter.key;
  if (!message.push && !message.reset && !message.hang_up) {
    message.number =
        client() ? process().sent_[static_cast<std::size_t>(input.peer)] - input.distance : -1 - input.distance;
  }
  return message;
}

CanonicalMessage IsolatedHost::canonical_message_of(const Connection& connection, const Message& message) const {
  const auto move = [this](const Value& value) { return moved(value, true); };
  CanonicalMessage letter;
  if (message.reply) {
    letter.command = Command(std::vector<Value>{Value(std::string(message.command.verb()))});
    letter.reply = rewritten(*message.reply, move);
    letter.key = message.key;
  } else {
    letter.command = rewritten(message.command, move);
    if (rounds_matter_) letter.round = message.round;
  }
  letter.refused = message.refused;
  letter.push = message.push;
  letter.reset = message.reset;
  letter.hang_up = message.hang_up;
  if (!message.reply && !message.hang_up) {
    letter.reply_lost = connection.replies.loses(message);
    if (connection.replies.late == message.number) letter.reply_late = connection.replies.late_by;
  }
  return letter;
}

/// A stamp in a letter is written as microseconds from now, so that it does not depend on when "now" is.
Value IsolatedHost::moved(const Value& value, bool to_relative) const {
  if (value.mark() != Value::Mark::stamp) return value;
  const std::int64_t here = Duration(epoch).count() + world_.now_.count();
  if (to_relative) {
    const auto i = lockproof::Clock::read(value);
    return i ? Value(std::to_string(InstantAccess::us(*i) - here), Value::Mark::stamp) : value;
  }
  return Value(std::to_string((std::stoll(value.bytes()) + here) / 1000), Value::Mark::stamp);
}

Traits IsolatedHost::traits(ClockDetail detail) {
  Traits traits;
  StateEncoder into;
  client() ? add_client(traits, into) : add_servers(traits, into);
  if (client()) traits.shape = with_plain_names(into.bytes());  // plans contain the client's name
  world_.encode_plans(into);
  world_.encode_sentinels(into);
  if (!client()) world_.encode_ensemble(into);
  for (HostIndex host = 0; host < clients_ + static_cast<int>(sites_.servers()) - 1; ++host) {
    if (is_here(host)) world_.encode_clocks(into, host, detail);
  }
  traits.names = into.names();
  if (client() && !process().is_gone()) traits.born = process().born_with_.size();
  traits.encoding = into.take();
  add_due(traits);
  if (world_.asking().applies()) add_outlook(traits);
  return traits;
}

void IsolatedHost::add_client(Traits& traits, StateEncoder& into) {
  process().encode(into);
  for (std::size_t server = 0; server < before_.size() && !process().crashed_; ++server) {
    std::vector<Connection*> open{process().connections_[server]};
    open.insert(open.end(), process().further_[server].begin(), process().further_[server].end());
    into.number(static_cast<std::int64_t>(open.size()));
    for (Connection* connection : open) {
      into.number(connection != nullptr);
      if (!connection) continue;
      const int next = process().sent_[server] + 1;
      World::encode_faults(into, connection->requests, next);
      World::encode_faults(into, connection->replies, next);
    }
  }
  const harness::Life& life = process().life();
  const bool works = !process().crashed_ && !process().worker_killed_;
  traits.over = process().is_over();
  traits.overdue = process().program_is_overdue();
  traits.given_up = process().program_is_given_up();
  traits.now = world_.now_;
  traits.begun = process().has_begun();
  traits.sent = process().has_sent();
  traits.inside = life.inside() && works;
  traits.interested = life.interested() && works;
  if (!traits.inside) return;
  const harness::Readings now = process().clocks().at(world_.now_);
  const Deadline& until = life.grant->deadline;
  const Wall* wall = std::get_if<Wall>(&until);
  const Mono* mono = std::get_if<Mono>(&until);
  const Boot* boot = std::get_if<Boot>(&until);
  traits.entitled = !life.notified_of_loss && (!wall || InstantAccess::us(*wall) > now.wall_ms * 1000) &&
                    (!mono || InstantAccess::us(*mono) > now.mono_us) &&
                    (!boot || InstantAccess::us(*boot) > now.boot_us);
}

void IsolatedHost::add_servers(Traits& traits, StateEncoder& into) {
  traits.leases = world_.longest_lease() > Duration{};
  std::map<int, int> numbers;  // of connections, free of history
  for (const auto& [key, connection] : by_slot_) {
    if (connection) numbers.emplace(connection->number, (key.place * clients_ + key.client) * slots_most + key.slot);
  }
  for (const auto& [key, connection] : by_slot_) {
    if (connection && World::holds_something_of(server(key.place), *connection)) traits.held.push_back(key);
  }
  for (const int server : servers()) {
    const auto place = static_cast<std::size_t>(server);
    world_.encode_server(into, place, numbers);
    for (const bool with_leased : {false, true}) traits.remains[with_leased] += world_.remains(place, with_leased);
  }
}

void IsolatedHost::add_due(Traits& traits) {
  world_.collect();
  const bool any = !world_.candidates_.empty() && world_.next_ < world_.now_ + never;
  traits.due = any ? world_.next_ - world_.now_ : never;
  traits.locals = any ? static_cast<int>(world_.candidates_.size()) : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(traits.locals); ++i) {
    using Kind = World::Candidate::Kind;
    const Kind kind = world_.candidates_[i].kind;
    const bool arrives = kind == Kind::replication || kind == Kind::word;
    traits.alone += !arrives && kind != Kind::timer;
    if (client()) continue;
    traits.arrives.push_back(arrives ? sites_.place_of(world_.candidate(i).host - clients_) : -1);
  }
}

}  // namespace lockproof::sim
