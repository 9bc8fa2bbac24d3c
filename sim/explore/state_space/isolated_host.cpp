// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/state_space/isolated_host.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "algorithms/port/clock.hpp"
#include "sim/explore/state_space/rewritten.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::Phase;

namespace {

constexpr int slots_most = 16;  // of one client's connections, to number them

}  // namespace

harness::Scenario IsolatedHost::alone(const harness::Scenario& scenario, int host) {
  harness::Scenario cell = scenario;
  for (std::size_t i = 0; i < cell.clients.size(); ++i) {
    if (static_cast<int>(i) == host) continue;
    cell.clients[i].plan.period.reset();
    cell.clients[i].plan.start = never * 2;
  }
  return cell;
}

IsolatedHost::IsolatedHost(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models,
                           int host)
    : host_(host), clients_(static_cast<int>(scenario.clients.size())),
      world_(scenario, chooser_,
             {.record = true,
              .record_inputs = false,
              .token_name = [this](int of, int) { return of == host_ + 1 ? to_text(next_name()) : "c0.0"; },
              .budget = &budget,
              .encoding = true,
              .models = &models}) {
  for (const auto& process : world_.processes_) process->runs_elsewhere_ = process->index() != host_;
  std::erase_if(world_.plans_, [&](const World::Planned& plan) {
    return world_.history_.host_named(world_.faults_[plan.fault].target) != host_;
  });
  rounds_matter_ = std::ranges::any_of(world_.servers_, [](const auto& s) { return !s->triggers.none(); });
  remember_connections();
}

/// The name that the input gives, or the client's first free one.
TokenName IsolatedHost::next_name() {
  const std::size_t place = drawn_.size();
  if (place < dictated_.size()) return drawn_.emplace_back(dictated_[place]);
  for (int n = 1; n <= token_names; ++n) {
    const TokenName name = token_name(host_, n);
    if ((names_in_use_ & bit_of(name)) != 0) continue;
    names_in_use_ |= bit_of(name);
    return drawn_.emplace_back(name);
  }
  throw std::runtime_error(too_many_tokens);
}

std::vector<Question> IsolatedHost::feed_and_listen(const Input& input) {
  occasions_.clear();
  world_.budget_.watch([this](const std::vector<Budget::Offer>& ever, const std::vector<Budget::Offer>& now) {
    occasions_.push_back({chooser_.made(), ever, now});
  });
  feed(input);
  world_.budget_.watch({});
  std::vector<Question> asked;
  auto occasion = occasions_.begin();
  for (std::size_t i = 0; i <= chooser_.made(); ++i) {
    bool strike = false;
    for (; occasion != occasions_.end() && occasion->made == i; ++occasion) {
      asked.push_back({.strike = true, .offers = occasion->ever});
      strike = !occasion->now.empty();
      if (!strike || chooser_.path()[i] == 0) continue;
      const auto taken = std::ranges::find(occasion->ever, occasion->now[chooser_.path()[i] - 1u]);
      asked.back().answer = static_cast<std::size_t>(taken - occasion->ever.begin()) + 1;
    }
    if (strike || i == chooser_.made()) continue;
    asked.push_back({.options = chooser_.options()[i], .answer = chooser_.path()[i]});
  }
  return asked;
}

void IsolatedHost::remember_connections() {
  if (!client()) return;
  before_ = process().connections_;
  sent_before_ = process().sent_;
  crashed_before_ = process().crashed_;
}

Connection& IsolatedHost::connection(int peer, int slot) {
  Process& of = *world_.processes_[static_cast<std::size_t>(client() ? host_ : peer)];
  const HostIndex server = client() ? static_cast<HostIndex>(peer) + clients_ : host_;
  const std::size_t place = static_cast<std::size_t>(server - clients_);
  if (client()) return slot == 1 ? *of.news_connections_[place] : *of.connections_[place];
  Connection*& known = by_slot_[{peer, slot}];
  if (!known) {
    known = &world_.connect(static_cast<HostIndex>(peer), server);
    known->closed = slot >= first_closed_slot;  // before its first command came here
  }
  return *known;
}

void IsolatedHost::feed(const Input& input) {
  chooser_.follow(input.choices);
  dictated_ = input.drawn;
  drawn_.clear();
  buffered_ = false;
  if (input.kind == Input::Kind::age) {
    world_.now_ += input.by;
    return;
  }
  names_in_use_ = input.tokens;
  world_.budget_.resume(input.budget);
  remember_connections();
  switch (input.kind) {
    case Input::Kind::local: {
      world_.collect();
      if (world_.next_ > world_.now_) throw std::logic_error("nothing of this host is due");
      world_.perform(World::Candidate(world_.candidates_.at(static_cast<std::size_t>(input.n))));
      return;
    }
    case Input::Kind::letter: return deliver(input);
    case Input::Kind::shift: {
      Server& server = *world_.servers_[static_cast<std::size_t>(host_ - clients_)];
      for (Server::Unseen& unseen : server.inbox) unseen.request.number -= unseen.connection->client == input.peer;
      for (Server::Unseen& unseen : server.held) unseen.request.number -= unseen.connection->client == input.peer;
      for (auto& [to, message] : server.waiting) message.number -= to->client == input.peer;
      for (auto& [to, message] : server.outbox) message.number -= to->client == input.peer;
      return;
    }
    case Input::Kind::renamed: {
      Connection* const renamed = std::exchange(by_slot_[{input.peer, input.slot}], nullptr);
      by_slot_[{input.peer, input.distance}] = renamed;
      if (renamed) renamed->closed = true;  // the server still answers on it, but sends no news there
      return;
    }
    case Input::Kind::disconnected: {
      const auto known = by_slot_.find({input.peer, input.slot});
      if (known == by_slot_.end() || !known->second) return;
      world_.servers_[static_cast<std::size_t>(host_ - clients_)]->model->disconnected(known->second->number);
      known->second = nullptr;
      return;
    }
    case Input::Kind::ask: return process().ask();
    case Input::Kind::struck: {
      world_.faults_.push_back(
          world_.budget_.take({static_cast<std::size_t>(input.n), static_cast<std::size_t>(input.peer)}, nullptr));
      world_.plans_.push_back({world_.now_, world_.faults_.size() - 1, false});
      return;
    }
    case Input::Kind::age: return;
  }
}

void IsolatedHost::deliver(const Input& input) {
  Connection& over = connection(input.peer, input.slot);
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
  if (input.letter.reply) message.reply = rewritten(*input.letter.reply, move);
  if (!message.push && !message.reset) {
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
  } else {
    letter.command = rewritten(message.command, move);
    if (rounds_matter_) letter.round = message.round;
  }
  letter.refused = message.refused;
  letter.push = message.push;
  letter.reset = message.reset;
  if (!message.reply) {
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

void IsolatedHost::post(Connection& connection, int slot, Line& line, std::vector<Posted>& into) {
  for (const Message& message : line.messages()) {
    const bool to_server = &line == &connection.requests;
    Posted posted{.peer = to_server ? connection.server - clients_ : connection.client, .slot = slot};
    posted.letter = canonical_message_of(connection, message);
    posted.way = message.arrives - world_.now_;
    posted.distance = -1;
    if (!message.push) {
      posted.distance =
          to_server ? process().sent_[static_cast<std::size_t>(posted.peer)] - message.number : -1 - message.number;
    }
    into.push_back(std::move(posted));
  }
  line.forget();
}

void IsolatedHost::client_output(Output& out) {
  if (process().sent_ != sent_before_) {
    std::ranges::transform(process().sent_, sent_before_, std::back_inserter(out.sent), std::minus{});
  }
  for (std::size_t server = 0; server < before_.size(); ++server) {
    Connection* const now = process().connections_[server];
    const bool closed = before_[server] != now;
    const std::size_t already = out.posted.size();
    std::vector<std::pair<Connection*, int>> lines;
    for (const auto& connection : world_.connections_) {
      if (connection->client != host_ || connection->server != static_cast<HostIndex>(server) + clients_) continue;
      lines.emplace_back(connection.get(), connection.get() == process().news_connections_[server] ? 1 : 0);
    }
    if (closed) post(*before_[server], 0, before_[server]->requests, out.posted);
    if (before_[server] != now) out.closed.push_back({static_cast<int>(server), true, out.posted.size() - already});
    for (const auto& [connection, slot] : lines) {
      if (connection == before_[server] && closed) continue;
      post(*connection, slot, connection->requests, out.posted);
    }
  }
  if (process().crashed_ && !crashed_before_) {
    for (std::size_t server = 0; server < before_.size(); ++server) {
      out.closed.push_back({static_cast<int>(server), false, 0});
    }
  }
}

/// The other clients of this world do not run; the news that a connection is closed goes to the real client.
void IsolatedHost::server_output(Output& out) {
  for (int client = 0; client < clients_; ++client) {
    Process& nobody = *world_.processes_[static_cast<std::size_t>(client)];
    Connection& main = *nobody.connections_[static_cast<std::size_t>(host_ - clients_)];
    if (!std::exchange(main.reset, false)) continue;
    main.replies.forget();
    out.resets.push_back(client);
  }
  for (const auto& connection : world_.connections_) {
    if (connection->server != host_ || connection->replies.messages().empty()) continue;
    const auto known = std::ranges::find_if(by_slot_, [&](const auto& e) { return e.second == connection.get(); });
    if (known == by_slot_.end()) throw std::logic_error("a reply on a connection that was not opened");
    post(*connection, known->first.second, connection->replies, out.posted);
  }
  for (auto& [key, connection] : by_slot_) {
    if (connection && connection->reset) connection = nullptr;
  }
}

void IsolatedHost::take_cuts(Output& out) {
  for (const World::Cut& cut : std::exchange(world_.cuts_, {})) {
    const bool from_peer = cut.to == host_;
    const HostIndex peer = from_peer ? cut.from : cut.to;
    if ((peer < clients_) == client()) continue;  // these two do not exchange messages
    out.severed.push_back({client() ? peer - clients_ : peer, from_peer, cut.until - world_.now_});
  }
}

Output IsolatedHost::take_output() {
  Output out;
  client() ? client_output(out) : server_output(out);
  take_cuts(out);
  out.buffered = buffered_;
  out.budget = world_.budget_.counts();
  out.events = world_.take_events();
  out.struck = world_.take_struck();
  return out;
}

Traits IsolatedHost::traits(bool offsets) {
  Traits traits;
  StateEncoder into;
  const HostClocks& clocks = world_.clocks_of(host_);
  if (client()) {
    process().encode(into);
    for (std::size_t server = 0; server < before_.size() && !process().crashed_; ++server) {
      for (Connection* connection : {process().connections_[server], process().news_connections_[server]}) {
        into.number(connection != nullptr);
        if (!connection) continue;
        const int next = process().sent_[server] + 1;
        for (const Line* line : {&connection->requests, &connection->replies}) {
          into.number(line->dead_from <= next);
          into.number(line->lost == next);
          into.number(line->late == next ? line->late_by.count() : 0);
        }
      }
    }
    const harness::Life& life = process().life();
    const bool works = !process().crashed_ && !process().worker_killed_;
    traits.over = process().is_over();
    traits.begun = process().has_begun();
    traits.inside = life.inside() && works;
    traits.interested = life.interested() && works;
    if (traits.inside) {
      const harness::Readings now = clocks.at(world_.now_);
      const Deadline& until = life.grant->deadline;
      const Wall* wall = std::get_if<Wall>(&until);
      const Mono* mono = std::get_if<Mono>(&until);
      const Boot* boot = std::get_if<Boot>(&until);
      traits.entitled = !life.notified_of_loss && (!wall || InstantAccess::us(*wall) > now.wall_ms * 1000) &&
                        (!mono || InstantAccess::us(*mono) > now.mono_us) &&
                        (!boot || InstantAccess::us(*boot) > now.boot_us);
    }
  } else {
    std::map<int, int> numbers;
    for (const auto& [key, connection] : by_slot_) {
      if (connection) numbers.emplace(connection->number, key.first * slots_most + key.second);
    }
    const Server& server = *world_.servers_[static_cast<std::size_t>(host_ - clients_)];
    for (const auto& [key, connection] : by_slot_) {
      if (connection && World::holds_something_of(server, *connection)) traits.held.push_back(key);
    }
    world_.encode_server(into, static_cast<std::size_t>(host_ - clients_), numbers);
    for (const bool with_leased : {false, true}) {
      traits.remains[with_leased] = world_.remains(static_cast<std::size_t>(host_ - clients_), with_leased);
    }
  }
  if (client()) traits.shape = with_plain_names(into.bytes());  // plans contain the client's name
  world_.encode_plans(into);
  if (offsets && host_ + 1 < clients_ + static_cast<int>(world_.servers_.size())) world_.encode_offset(into, host_);
  traits.names = into.names();
  if (client() && !process().is_gone()) traits.born = process().born_with_.size();
  traits.encoding = into.take();
  world_.collect();
  const bool any = !world_.candidates_.empty() && world_.next_ < world_.now_ + never;
  traits.due = any ? world_.next_ - world_.now_ : never;
  traits.locals = any ? static_cast<int>(world_.candidates_.size()) : 0;
  for (int i = 0; i < traits.locals; ++i) {
    const auto kind = world_.candidates_[static_cast<std::size_t>(i)].kind;
    traits.plans += kind == World::Candidate::Kind::strike || kind == World::Candidate::Kind::heal;
  }
  if (world_.asking().applies()) add_outlook(traits);
  return traits;
}

}  // namespace lockproof::sim
