// SPDX-License-Identifier: Apache-2.0
// The part of Process for messages: commands that leave, replies and messages that arrive, connections that end.
#include <algorithm>
#include <utility>

#include "sim/world/process_ports.hpp"
#include "sim/world/program_host.hpp"

namespace lockproof::sim {

using harness::EventPlace;
using harness::What;

Suspension::~Suspension() { std::erase(process_.ready_, this); }

CallGroup::CallGroup(Process& process, std::vector<PendingCall> to_make)
    : Suspension(process), calls(std::move(to_make)), open_(calls.size()) {}

CallGroup::~CallGroup() { std::erase(process_.groups_, this); }

void CallGroup::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  process_.groups_.push_back(this);
}

bool CallGroup::end(PendingCall& call, Result<Reply> result) {
  call.ended = true;
  call.result = std::move(result);
  return --open_ == 0;
}

NewsWait::~NewsWait() { std::erase(process_.news_waits_, this); }

void NewsWait::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  process_.news_waits_.push_back(this);
}

MomentWait::~MomentWait() { std::erase(process_.moment_waits_, this); }

void MomentWait::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  process_.moment_waits_.push_back(this);
}

/// Sends the commands that the steps have queued, in order. A fault that strikes before a command may end the command's
/// task too, so the next one is looked up again after each.
void Process::depart() {
  while (runs()) {
    PendingCall* const call = next_to_leave();
    if (!call) return;
    if (std::exchange(call->announced, true)) {
      send(*call);
      continue;
    }
    call->server = routes_[place(call->server)];
    const std::string verb(call->command.verb());
    happens(EventPlace::Moment::before, verb, &connection_for(*call), sent_[place(call->server)] + 1);
  }
}

PendingCall* Process::next_to_leave() {
  for (CallGroup* group : groups_) {
    for (PendingCall& call : group->calls) {
      if (call.number == 0 && !call.ended) return &call;
    }
  }
  return nullptr;
}

/// Its caller has not ended the attempt that is under way, if there is one.
bool Process::may_send() const { return life().may_send(clocks_.mono(world_.now())); }

void Process::send(PendingCall& call) {
  const std::size_t server = place(call.server);
  const Mono now = clocks_.mono(world_.now());
  switch_connection(call.server);
  follow_transaction(call);
  if (call.number == 0) call.due = life().within_attempt(now + call.timeout);  // a driver that resends waits no longer
  call.number = ++sent_[server];
  call.connection = &connection_for(call);
  call.resend.reset();
  if (const auto fault = std::exchange(resend_[server], std::nullopt)) {
    call.resend = now + world_.faults()[*fault].lasts;
    call.resent_by = *fault;
  }
  if (const auto fault = std::exchange(retry_[server], std::nullopt)) call.retry = fault;
  if (journal_) {
    harness::Event event{.what = What::send};
    event.peer = call.server;
    event.message = call.number;
    event.command = call.command;
    note(std::move(event));
  }
  call.occurrence = count(call.command.verb(), call.server);
  world_.send(*call.connection, Message{.number = call.number,
                                        .occurrence = call.occurrence,
                                        .round = client_->life().round,
                                        .command = call.command,
                                        .reply = std::nullopt});
}

void Process::arrive(Connection& connection, Message message) {
  if (crashed_ || connection.closed) return;                 // nothing receives it
  if (message.push && connection.replies.is_dead()) return;  // it was lost on the way, behind a reply
  UnreadMessage unseen{&connection, std::move(message), false};
  if (pauses_ > 0) {
    inbox_.push_back(std::move(unseen));
  } else {
    see(std::move(unseen));
    settle();
  }
}

void Process::see(UnreadMessage unseen) {
  if (unseen.message.reset) {
    if (unseen.connection->closed) return;
    const auto slot = slot_of(*unseen.connection);
    unseen.connection->close_at_client();  // nobody is left at the other end to be told
    return lose(unseen.connection->server, program_ ? slot : std::nullopt);
  }
  if (!std::exchange(unseen.announced, true) && !unseen.message.refused) {
    happens(EventPlace::Moment::after, unseen.message.command.verb(), unseen.connection, unseen.message.number);
  }
  if (pauses_ > 0) inbox_.insert(inbox_.begin(), std::move(unseen));
  if (!runs()) return;

  const harness::HostIndex server = unseen.connection->server;
  if (unseen.message.push) return news_came(*unseen.connection, *std::move(unseen.message.reply));
  PendingCall* found = nullptr;
  for (CallGroup* group : groups_) {
    for (PendingCall& call : group->calls) {
      const bool same = call.server == server && call.number == unseen.message.number;
      if (same && !call.ended && call.connection == unseen.connection) found = &call;
    }
  }
  if (journal_) {
    const bool refused = unseen.message.refused;
    harness::Event event{.what = refused ? What::refused : found ? What::receive : What::discard};
    event.peer = server;
    event.message = unseen.message.number;
    event.reply = unseen.message.reply;
    note(std::move(event));
  }
  if (!found) return;
  if (unseen.message.refused) {
    turn_from(server);
    return end(*found, Error::not_sent);
  }
  found->key = unseen.message.key;
  end(*found, *std::move(unseen.message.reply));
}

bool Process::only_buffers(const Connection& connection, const Message& message) const {
  if (crashed_ || pauses_ > 0 || connection.closed || message.push || message.reset) return false;
  if (!triggers_.none()) return false;
  for (const CallGroup* group : groups_) {
    for (const PendingCall& call : group->calls) {
      const bool same = call.server == connection.server && call.number == message.number;
      if (same && !call.ended && call.connection == &connection) return group->waits_for_more_than_one();
    }
  }
  return true;
}

void Process::end(PendingCall& call, Result<Reply> result) {
  for (CallGroup* group : groups_) {
    const bool member = &call >= group->calls.data() && &call < group->calls.data() + group->calls.size();
    if (!member) continue;
    if (group->end(call, std::move(result))) {
      std::erase(groups_, group);
      ready_.push_back(group);
    }
    return;
  }
}

void Process::time_out(PendingCall& late) {
  if (late.retry) return retry(late);
  if (journal_) {
    harness::Event event{.what = What::time_out};
    event.peer = late.server;
    event.message = late.number;
    note(std::move(event));
  }
  if (world_.scenario().network.on_timeout == harness::OnTimeout::discard) return end(late, Error::no_reply);

  lose_connections(late.server);
}

/// The call goes on: its command is about to leave once more, and has its time from then on.
void Process::retry(PendingCall& call) {
  const std::size_t fault = *std::exchange(call.retry, std::nullopt);
  world_.strike(fault);
  call.number = 0;
  call.connection = nullptr;
  if (world_.faults()[fault].same_connection) return;
  const harness::HostIndex left = call.server;
  if (world_.scenario().ensemble && routes_.front() == left) {
    turn_from(left);
    call.server = routes_.front();
  }
  lose_connections(left);
}

/// A driver gives up all when its first one has ended; those of a program are nothing to each other.
bool Process::minds(const Connection& connection) const {
  const auto slot = slot_of(connection);
  return !connection.closed && slot && (program_ || *slot == 0);
}

std::optional<std::size_t> Process::slot_of(const Connection& connection) const {
  const std::size_t to = place(connection.server);
  if (connections_[to] == &connection) return 0;
  const auto found = std::ranges::find(further_[to], &connection);
  if (found == further_[to].end()) return std::nullopt;
  return static_cast<std::size_t>(found - further_[to].begin()) + 1;
}

std::int64_t Process::encoded_slot(const Connection& connection) const {
  const auto slot = slot_of(connection);
  return slot ? static_cast<std::int64_t>(*slot) : -1;
}

/// Every wait on the connection, or on all, ends; the driver opens another first one.
void Process::lose(harness::HostIndex server, std::optional<std::size_t> slot) {
  if (crashed_) return;
  if (journal_) {
    harness::Event event{.what = What::broken};
    event.peer = server;
    note(std::move(event));
  }
  const std::size_t count = 1 + further_[place(server)].size();
  const std::size_t from = slot.value_or(0), to = slot ? *slot + 1 : count;
  for (std::size_t lost = from; lost < to; ++lost) hang_up(server, lost);
  if (from == 0) in_transaction_[place(server)] = false;
  const std::vector<CallGroup*> groups = groups_;
  for (CallGroup* group : groups) {
    for (PendingCall& call : group->calls) {
      if (!call.ended && call.connection && call.connection->closed) end(call, Error::no_reply);
    }
  }
  for (std::size_t lost = from; program_ && lost < to; ++lost) program_->lost(server, lost);
  turn_from(server);
  if (!runs()) return;
  settle();
  can_ask_now();
}

bool Process::may_be_unconnected() const {
  const auto ended = [](const Connection* connection) { return connection && connection->reset; };
  return !program_ && !has_sent() && std::ranges::any_of(connections_, ended);
}

void Process::connect_anew() {
  for (Connection*& connection : connections_) {
    if (!connection || !connection->reset) continue;
    connection->close_at_client();
    connection = &world_.connect(index_, connection->server);
  }
}

/// A client of an ensemble whose server does not serve it turns to the next one.
void Process::turn_from(harness::HostIndex server) {
  const harness::Scenario& scenario = world_.scenario();
  if (!scenario.ensemble || routes_.front() != server) return;
  const auto count = static_cast<harness::HostIndex>(scenario.servers.size());
  routes_.front() = world_.first_server() + (server - world_.first_server() + 1) % count;
}

void Process::redirect(harness::HostIndex from, harness::HostIndex to) {
  if (std::ranges::find(routes_, from) == routes_.end()) return;  // it was redirected to another server before
  std::ranges::replace(routes_, from, to);
  if (program_) program_->switched(from, to);
  lose_connections(from);
}

void Process::hang_up(Connection& connection) {
  world_.hang_up(connection, count("disconnect", connection.server), client_->life().round);
}

/// Only the first one is opened again by itself: a subscription is lost.
void Process::hang_up(harness::HostIndex server, std::size_t slot) {
  if (slot == 0) {
    hang_up(*connections_[place(server)]);
    connections_[place(server)] = &world_.connect(index_, server);
    return;
  }
  std::vector<Connection*>& further = further_[place(server)];
  if (Connection* const open = std::exchange(further.at(slot - 1), nullptr)) hang_up(*open);
  while (!further.empty() && !further.back()) further.pop_back();
}

/// Of PostgreSQL.
void Process::follow_transaction(const PendingCall& call) {
  const std::string_view verb = call.command.verb();
  if (verb == "begin") in_transaction_[place(call.server)] = true;
  if (verb == "commit" || verb == "rollback") in_transaction_[place(call.server)] = false;
}

/// The pool keeps the old connection open, and nothing is sent over it any more. It takes a connection back between two
/// transactions.
void Process::switch_next(harness::HostIndex server, std::size_t fault) { switch_[place(server)] = fault; }

bool Process::is_between_transactions(harness::HostIndex server) const {
  const auto awaits = [&](const PendingCall& call) {
    return call.number != 0 && !call.ended && call.connection == connections_[place(server)];
  };
  const auto any = [&](const CallGroup* group) { return std::ranges::any_of(group->calls, awaits); };
  return !in_transaction_[place(server)] && std::ranges::none_of(groups_, any);
}

/// Each of them gets the other's session, if neither connection carries anything; false: one does, and nothing changes.
bool Process::exchange_sessions(Process& other, harness::HostIndex server) {
  Connection &mine = *connections_[place(server)], &its = *other.connections_[place(server)];
  for (const Connection* one : {&mine, &its}) {
    const bool idle = one->requests.messages().empty() && one->replies.messages().empty();
    if (!idle || one->closed || one->reset) return false;
  }
  if (!other.is_between_transactions(server)) return false;
  std::swap(mine.number, its.number);
  return true;
}

void Process::switch_connection(harness::HostIndex server) {
  std::optional<std::size_t>& fault = switch_[place(server)];
  if (!fault || !is_between_transactions(server)) return;
  const std::string& whose = world_.faults()[*fault].session;
  if (!whose.empty()) {
    Process& other = world_.process(static_cast<std::size_t>(world_.host_named(whose)));
    if (exchange_sessions(other, server)) world_.strike(*std::exchange(fault, std::nullopt));
    return;
  }
  world_.strike(*std::exchange(fault, std::nullopt));
  connections_[place(server)]->closed = true;
  connections_[place(server)] = &world_.connect(index_, server);
}

void Process::resend_next(harness::HostIndex server, std::size_t fault) { resend_[place(server)] = fault; }

void Process::retry_next(harness::HostIndex server, std::size_t fault) { retry_[place(server)] = fault; }

void Process::news_came(const Connection& connection, Reply message) {
  const std::string channel = message.items().at(1).value().bytes();
  if (journal_) {
    harness::Event event{.what = What::push};
    event.peer = connection.server;
    event.word = channel;
    note(std::move(event));
  }
  if (program_) return program_->told(connection, std::move(message));
  const auto wait = std::ranges::find(news_waits_, channel, &NewsWait::channel);
  if (wait == news_waits_.end()) {
    if (std::ranges::find(news_, channel) == news_.end()) news_.push_back(channel);  // several count as one
    return;
  }
  (*wait)->came = true;
  ready_.push_back(*wait);
  news_waits_.erase(wait);
}

Connection& Process::connection_for(const PendingCall& call) { return connection_in(call.server, call.slot); }

/// A further one is made when it is asked for.
Connection& Process::connection_in(harness::HostIndex server, std::size_t slot) {
  if (slot == 0) return *connections_[place(server)];
  std::vector<Connection*>& further = further_[place(server)];
  if (further.size() < slot) further.resize(slot, nullptr);
  Connection*& open = further[slot - 1];
  if (!open) open = &world_.connect(index_, server);
  return *open;
}

std::size_t Process::place(harness::HostIndex server) const {
  return static_cast<std::size_t>(server - world_.first_server());
}

int Process::count(std::string_view verb, harness::HostIndex server) {
  for (Count& known : counts_) {
    if (known.server == server && known.verb == verb) return ++known.occurrences;
  }
  counts_.push_back({std::string(verb), server, 1});
  return 1;
}

}  // namespace lockproof::sim
