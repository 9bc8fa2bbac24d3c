// SPDX-License-Identifier: Apache-2.0
// The part of World for ends of connections, where a server keeps something for a connection: its end travels as a
// message does, behind all that was sent.
#include <algorithm>
#include <utility>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

/// The client closes its end of a connection. Where it matters the server learns of it behind all that was sent; also
/// where the server has closed its own end by now, the message leaves, since the client does not know.
void World::hang_up(Connection& connection, int occurrence, int round) {
  if (connection.closed) return;
  connection.close_at_client();
  if (!server_of(connection).model->minds_connections()) return;
  Message end{.command = Command(std::vector<Value>{"disconnect"}), .reply = std::nullopt};
  end.occurrence = occurrence;
  end.round = round;
  end.hang_up = true;
  if (connection.requests.loses(end)) return;
  const Duration way = latency(connection, end);
  if (!connection.reset) connection.requests.push(std::move(end), now_ + way);
}

/// The server has read the end of a connection.
void World::end_connection(Connection& connection) {
  Server& server = server_of(connection);
  note_end(connection, server.model->connection_ended(connection.number, server.time(now_)));
}

/// The server's process is not there, or does not serve this client.
void World::refuse(Connection& connection, Message request) {
  request.refused = true;
  request.reply = Reply::nil();
  const Duration way = latency(connection, request) + request.answer_late;
  connection.replies.push(std::move(request), now_ + way);
}

/// The server's end of a connection is closed. Messages under way to it or held there are lost; what it has sent
/// arrives, and behind it the news that the connection is closed.
void World::reset(Connection& connection) {
  const Process& process = *processes_[static_cast<std::size_t>(connection.client)];
  // A crashed client has none.
  const bool learns = !process.crashed() && process.minds(connection);
  Server& there = server_of(connection);
  const auto unseen = [&](const Server::UnreadRequest& request) {
    if (request.connection != &connection) return false;
    if (!request.request.hang_up) note_drop(connection, request.request.number, "request");
    return true;
  };
  const auto unanswered = [&](const auto& held) {
    if (held.first != &connection) return false;
    note_drop(connection, held.second.number, "reply");
    return true;
  };
  std::erase_if(there.inbox, unseen);
  std::erase_if(there.held, unseen);
  std::erase_if(there.outbox, unanswered);
  std::erase_if(there.waiting, unanswered);
  for (const Message& lost : connection.requests.messages()) {
    if (!lost.hang_up) note_drop(connection, lost.number, "request");
  }
  connection.close_at_server();
  end_connection(connection);
  there.model->disconnected(connection.number);
  if (!learns) return;
  Message news{.command = Command(std::vector<Value>{"RESET"}), .reply = Reply::nil()};
  news.round = 1;
  news.occurrence = static_cast<int>(*process.slot_of(connection)) + 1;
  news.reset = true;
  connection.replies.push(std::move(news), now_ + scenario_.network.latency.least);
}

/// The server closes some connections by itself: its own, or those of others that follow in its ensemble.
void World::close_at_server(HostIndex server, const std::vector<int>& connections) {
  for (const int number : connections) {
    const auto found = std::ranges::find_if(connections_, [&](const auto& one) { return one->number == number; });
    if (found == connections_.end() || (*found)->reset) continue;
    const bool follows = server_of(**found).standing != Standing::apart;
    if ((*found)->server == server || follows) reset(**found);
  }
}

/// What has changed as a connection ended.
void World::note_end(const Connection& connection, std::vector<harness::Effect> effects) {
  if (effects.empty()) return;
  harness::Event event{.what = What::execute};
  event.peer = connection.client;
  event.command = Command(std::vector<Value>{"disconnect"});
  event.effects = std::move(effects);
  note(connection.server, server_of(connection).clocks, std::move(event));
}

}  // namespace lockproof::sim
