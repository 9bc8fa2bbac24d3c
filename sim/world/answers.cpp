// SPDX-License-Identifier: Apache-2.0
// The part of World for what servers send to clients: replies, the messages behind them that are parts of the same
// answer, and messages to those who subscribed.
#include <algorithm>
#include <utility>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::EventPlace;
using harness::What;

void World::finish(Connection& connection, Message message, NodeAnswer executed) {
  Server& server = server_of(connection);
  message.key = change_of_program(executed.effects);
  if (is_noted()) {
    harness::Event event{.what = What::execute};
    event.peer = connection.client;
    event.message = message.number;
    event.command = message.command;
    event.reply = executed.reply;
    event.effects = std::move(executed.effects);
    note(connection.server, server.clocks, std::move(event));
  }
  note_acts(connection.server, std::move(executed.acts));
  message.reply = std::move(executed.reply);
  push(executed.pushes);
  const std::vector<int> closes = std::move(executed.closes);
  share(connection.server, executed.changed);
  server.unsent = executed.propagated;
  server_happens(EventPlace::Moment::after, connection, message);
  if (!executed.propagated.empty()) server.model->persist(now_);
  replicate(connection.server, {});
  leave(connection, message);
  for (Reply& further : executed.further) {
    Message behind = pushed(connection, std::move(further));
    behind.number = message.number;  // it is lost, or late, with the reply
    behind.answer_lost = message.answer_lost;
    behind.answer_late = message.answer_late;
    leave(connection, std::move(behind));
  }
  close_at_server(connection.server, closes);
}

/// A paused server answers when it goes on.
void World::leave(Connection& connection, Message answer) {
  Server& server = server_of(connection);
  if (server.pauses > 0 && !connection.reset) {
    server.outbox.emplace_back(&connection, std::move(answer));
  } else {
    this->answer(connection, std::move(answer));
  }
}

void World::answer(Connection& connection, Message reply) {
  if (connection.reset) return note_drop(connection, reply.number, "reply");
  if (reply.answer_lost || connection.replies.loses(reply)) return note_drop(connection, reply.number, "reply");
  const Duration way = latency(connection, reply) + reply.answer_late;
  connection.replies.push(std::move(reply), now_ + way);
}

Message World::pushed(const Connection& to, Reply message) {
  Message pushed{.command = Command(std::vector<Value>{"MESSAGE"}), .reply = std::move(message)};
  pushed.push = true;
  pushed.round = 1;
  pushed.occurrence = ++pushed_[{to.server, to.client}];
  return pushed;
}

void World::push(const std::vector<Push>& pushes) {
  for (const Push& sent : pushes) {
    const auto to = std::ranges::find_if(connections_, [&](const auto& c) { return c->number == sent.connection; });
    if (to == connections_.end() || (*to)->closed) continue;
    Message message = pushed(**to, sent.message);
    const Duration way = latency(**to, message);
    (*to)->replies.push(std::move(message), now_ + way);
  }
}

}  // namespace lockproof::sim
