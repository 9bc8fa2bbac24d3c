// SPDX-License-Identifier: Apache-2.0
// The part of World for servers that do not answer at once: WAIT and CLIENT PAUSE, and a paused process. Commands
// behind a waiting command, on its connection, wait too.
#include <algorithm>
#include <utility>

#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;

/// The events that servers have by themselves. A paused one has none.
void World::offer_servers() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const Server& server = *servers_[i];
    const HostIndex host = first_server() + static_cast<HostIndex>(i);
    if (server.pauses == 0 && !server.inbox.empty()) offer_waiting(server, i);
    if (!server.replication.empty() && server.pauses == 0) {
      offer(arrival(server.replication.next(), server.master, host), {Candidate::Kind::replication, i});
    }
    if (!server.words.empty() && server_at(server.master).pauses == 0) {
      offer(arrival(server.words.next(), host, server.master), {Candidate::Kind::word, i});
    }
    if ((server.waiting.empty() && server.held.empty() && !server.model->acts_alone()) || server.pauses > 0) continue;
    const auto due = server.model->due(server.clocks);
    if (due) offer(*due, {Candidate::Kind::unblock, i});
  }
}

/// The oldest request of each queue in which some waited during a pause.
void World::offer_waiting(const Server& server, std::size_t index) {
  const bool per_client = server.model->queues() == ServiceModel::Queues::per_client;
  for (std::size_t i = 0; i < server.inbox.size(); ++i) {
    const Connection& over = *server.inbox[i].connection;
    const auto is_before = [&](const Server::UnreadRequest& other) {
      return per_client ? other.connection->client == over.client : other.connection == &over;
    };
    const auto here = server.inbox.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find_if(server.inbox.begin(), here, is_before) != here) continue;
    offer(now_, {Candidate::Kind::serve, index, {}, server.inbox[i].connection});
  }
}

void World::serve(Connection& connection) {
  std::vector<Server::UnreadRequest>& waiting = server_of(connection).inbox;
  const auto first = std::ranges::find(waiting, &connection, &Server::UnreadRequest::connection);
  Server::UnreadRequest unseen = std::move(*first);
  waiting.erase(first);
  deliver(std::move(unseen), true);
}

/// A server that resumes reads one connection after the other, in the order of their first waiting messages, and each
/// to its end (ae_epoll.c, networking.c).
void World::put_behind(std::vector<Server::UnreadRequest>& waiting, Server::UnreadRequest unseen) {
  const auto of_it = [&](const Server::UnreadRequest& other) { return other.connection == unseen.connection; };
  const auto last = std::ranges::find_if(waiting.rbegin(), waiting.rend(), of_it);
  waiting.insert(last == waiting.rend() ? waiting.end() : last.base(), std::move(unseen));
}

bool World::holds_back(const Server& server, const Connection& connection) {
  const auto of_it = [&](const Connection* held) { return held == &connection; };
  return is_among(server.held, connection) ||
         (server.model->answers_in_order() &&
          std::ranges::any_of(server.waiting, of_it, &std::pair<Connection*, Message>::first));
}

/// What a server does for clients that have not asked at this instant: one event each.
void World::note_acts(HostIndex host, std::vector<OwnAct> acts) {
  for (OwnAct& act : acts) {
    harness::Event event{.what = harness::What::execute};
    event.peer = act.client;
    event.command = Command(std::vector<Value>{Value(std::move(act.word))});
    event.effects = std::move(act.effects);
    note(host, server_at(host).clocks, std::move(event));
  }
}

/// Does what the server has to do by itself, answers the clients that need not wait any longer, and runs the commands
/// that this held back. A client that has closed its connection meanwhile gets no reply, and the commands that it sent
/// on it never run.
void World::unblock(HostIndex host) {
  Server& server = server_at(host);
  if (server.model->acts_alone()) {
    ServiceModel::OwnActs acted = server.model->act(time_of(server));
    note_acts(host, std::move(acted.acts));
    push(acted.pushes);
    if (!acted.changed.empty()) share(host, acted.changed);
    close_at_server(host, acted.closes);
  }
  for (auto& [connection, reply, effects, propagated] : server.model->on_timer(server.time(now_))) {
    const int to = connection;
    const auto ended = std::ranges::find_if(server.waiting, [&](const auto& w) { return w.first->number == to; });
    if (ended ==
        server.waiting.end()) {  // a fault behind an earlier answer has ended its connection; the command has run
      const auto one =
          std::ranges::find_if(connections_, [&](const auto& c) { return c->server == host && c->number == to; });
      if (one != connections_.end()) note_end(**one, std::move(effects));
      if (!propagated.empty()) replicate(host, std::move(propagated));
      continue;
    }
    auto [at, message] = std::move(*ended);
    server.waiting.erase(ended);
    if (at->closed && effects.empty() && propagated.empty()) {
      note_drop(*at, message.number, "reply");
    } else {
      finish(*at, std::move(message),
             {.reply = std::move(reply), .effects = std::move(effects), .propagated = std::move(propagated)});
    }
  }
  for (Server::UnreadRequest& held : std::exchange(server.held, {})) {
    const bool runs = !held.connection->closed || held.request.hang_up;
    if (!runs) note_drop(*held.connection, held.request.number, "request");
    if (runs) deliver(std::move(held));
  }
}

}  // namespace lockproof::sim
