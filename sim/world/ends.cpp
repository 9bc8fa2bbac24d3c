// SPDX-License-Identifier: Apache-2.0
// The part of World for ends of connections, where a server keeps something for a connection: its end travels as a
// message does, behind all that was sent.
#include <utility>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::What;

/// The client has closed its end of a connection. Where it matters the server learns of it behind all that was sent.
void World::hang_up(Connection& connection, int occurrence, int round) {
  if (connection.closed) return;
  connection.close_at_client();
  if (connection.reset || !server_of(connection).model->minds_connections()) return;
  Message end{.command = Command(std::vector<Value>{"disconnect"}), .reply = std::nullopt};
  end.occurrence = occurrence;
  end.round = round;
  end.hang_up = true;
  if (connection.requests.loses(end)) return;
  const Duration way = latency(connection, end);
  connection.requests.push(std::move(end), now_ + way);
}

/// The server has read the end of a connection.
void World::end_connection(Connection& connection) {
  Server& server = server_of(connection);
  note_end(connection, server.model->connection_ended(connection.number, server.time(now_)));
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
