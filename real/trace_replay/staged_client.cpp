// SPDX-License-Identifier: Apache-2.0
#include "real/trace_replay/staged_client.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/history/jsonl.hpp"

namespace lockproof::real {

using harness::Difference;
using harness::Event;
using harness::HostIndex;
using harness::Rerun;
using harness::What;

namespace {

constexpr std::string_view subscribes = "SUBSCRIBE", awaits = "MESSAGE";  // see harness/record/recorded_ports.cpp

std::vector<Event> entries_of(const harness::History& history, HostIndex client, std::vector<std::size_t>& events) {
  std::vector<Event> entries;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (event.host != client || !harness::of_process(event.what)) continue;
    entries.push_back(harness::unstamped(event));
    events.push_back(i);
  }
  return entries;
}

}  // namespace

StagedClient::StagedClient(const harness::History& predicted, HostIndex client, const harness::Scenario& scenario)
    : rerun_(entries_of(predicted, client, events_), predicted.header, scenario, client) {
  for (std::size_t i = 0; i < events_.size(); ++i) entries_.emplace(events_[i], i);
}

void StagedClient::happens(std::size_t event, const Event& recorded) {
  try {
    if (rerun_.position() > entries_.at(event)) return;
    if (recorded.what == What::step) return rerun_.step();
    if (recorded.what == What::answer) return rerun_.answer(results(rerun_.answered()));
  } catch (const Difference& difference) {
    const std::size_t entry = difference.entry - 1;
    throw Difference((entry < events_.size() ? events_[entry] : event) + 1, difference.recorded, difference.came);
  }
  throw Difference(event + 1, std::string(name(recorded.what)), "nothing");
}

void StagedClient::send(const Event& recorded) {
  Rerun::Call::Message* leaves = nullptr;
  const Rerun::Call* of = nullptr;
  for (const bool again : {false, true}) {
    for (Rerun::Call* call : rerun_.calls()) {
      for (Rerun::Call::Message& message : call->messages) {
        const bool may = again ? message.to == recorded.peer && call->command == *recorded.command && !message.result
                               : message.number == 0 && !message.result && call->command.verb() != awaits;
        if (leaves || !may) continue;
        leaves = &message;
        of = call;
      }
    }
  }
  if (!leaves || of->command != *recorded.command) {
    throw Difference(0, fmt::format("{} leaves", recorded.command->verb()),
                     of ? std::string(of->command.verb()) : "nothing");
  }
  leaves->to = recorded.peer;
  leaves->number = recorded.message;
  Place& place = places_[recorded.peer];
  auto& connection = of->command.verb() == subscribes ? place.news : place.main;
  ++connection->under_way;
  commands_.insert_or_assign(CommandId{recorded.peer, recorded.message}, Command{of->command.args(), connection});
}

StagedClient::Command& StagedClient::command(HostIndex server, int number) {
  const auto found = commands_.find({server, number});
  if (found == commands_.end()) throw Difference(0, "a command arrives", "it never left");
  return found->second;
}

void StagedClient::arrived(HostIndex server, int number) {
  Connection& connection = *command(server, number).connection;
  if (--connection.under_way == 0 && connection.closed) connection.wire.reset();
}

Rerun::Call::Message* StagedClient::waiting_for(HostIndex server, int number) {
  for (Rerun::Call* call : rerun_.calls()) {
    for (Rerun::Call::Message& message : call->messages) {
      if (message.to == server && message.number == number && !message.result) return &message;
    }
  }
  return nullptr;
}

void StagedClient::receive(HostIndex server, int number) {
  Rerun::Call::Message* const message = waiting_for(server, number);
  const std::optional<Reply>& reply = command(server, number).reply;
  if (!message) throw Difference(0, "a call waits for this reply", "none does");
  if (!reply) throw Difference(0, "a reply", "the command has not run");
  message->result = *reply;
}

void StagedClient::takes_back(const Event& sending) {
  for (Rerun::Call* call : rerun_.calls()) {
    if (call->command != *sending.command) continue;
    for (Rerun::Call::Message& message : call->messages) {
      if (message.to == sending.peer && !message.result) message.number = 0;
    }
  }
}

void StagedClient::ends(HostIndex server, int number, Error why) {
  if (Rerun::Call::Message* const message = waiting_for(server, number)) message->result = why;
}

/// Ends all calls that wait on the connections. New connections are made when they are needed.
void StagedClient::lose_connections(HostIndex server) {
  for (Rerun::Call* call : rerun_.calls()) {
    for (Rerun::Call::Message& message : call->messages) {
      if (message.to == server && message.number != 0 && !message.result) message.result = Error::no_reply;
    }
  }
  close(places_[server].main);
  close(places_[server].news);
}

void StagedClient::close(std::shared_ptr<Connection>& connection) {
  connection->closed = true;
  if (connection->under_way == 0) connection->wire.reset();
  connection = std::make_shared<Connection>();
}

void StagedClient::crash() {
  rerun_.crash();
  for (auto& [server, place] : places_) {
    close(place.main);
    close(place.news);
  }
}

/// A message that the server has sent comes before the answer to a PING. A server that stands still answers later: the
/// answer to an earlier PING says nothing.
std::optional<Reply> StagedClient::next_message(HostIndex server) {
  Connection& news = *places_[server].news;
  if (!news.wire) return std::nullopt;
  try {
    const Value mark = Value::number(++news.pings);
    if (news.messages.empty()) news.wire->send(to_resp({"PING", mark}));
    for (bool answered = !news.messages.empty(); !answered;) {
      Reply came = reply_of(news.wire->message());
      const std::size_t size = came.kind() == Reply::Kind::array ? came.items().size() : 0;
      const bool earlier = size == 2 && came.items()[1].value() != mark;
      answered = size != 3 && !earlier;
      if (size == 3) news.messages.push_back(std::move(came));
    }
  } catch (const LostConnection&) {  // what had come before its end counts
  }
  if (news.messages.empty()) return std::nullopt;
  Reply message = std::move(news.messages.front());
  news.messages.pop_front();
  return message;
}

/// The result of the call: for a wait for a message, whether one has come; otherwise the results of its messages.
Replies StagedClient::results(Rerun::Call& call) {
  Replies results;
  if (call.command.verb() == awaits) {
    results.emplace_back(Reply::integer(news_.erase(call.command.args().at(1).bytes()) > 0));
    return results;
  }
  for (const Rerun::Call::Message& message : call.messages) {
    if (!message.result) throw Difference(rerun_.position() + 1, "an answer", "none has come");
    results.push_back(*message.result);
  }
  return results;
}

}  // namespace lockproof::real
