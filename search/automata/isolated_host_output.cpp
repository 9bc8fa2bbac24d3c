// SPDX-License-Identifier: Apache-2.0
// The part of IsolatedHost for what leaves it: messages, connections that end or are made, partitions, and what happens
// at other sites because of its event.
#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "search/automata/isolated_host.hpp"

namespace lockproof::sim {

using harness::HostIndex;

void IsolatedHost::post(Connection& connection, int slot, Line& line, std::vector<SiteOutput>& into) {
  for (const Message& message : line.messages()) {
    const bool to_server = &line == &connection.requests;
    const int server = connection.server - clients_;
    SiteOutput posted{.peer = to_server ? server : connection.client, .slot = slot};
    posted.server = server;
    posted.letter = canonical_message_of(connection, message);
    posted.way = message.arrives - world_.now_;
    posted.distance = -1;
    if (!message.push && !message.hang_up) {
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
  for (std::size_t server = 0; server < before_.size() && !process().crashed_; ++server) {
    const auto& further = process().further_[server];
    for (std::size_t i = 0; i < further.size(); ++i) {
      const bool was_open = i < further_before_[server].size() && further_before_[server][i] == further[i];
      if (further[i] && !was_open) out.opened.push_back({static_cast<int>(server), static_cast<int>(i) + 1});
    }
  }
  for (std::size_t server = 0; server < before_.size(); ++server) post_requests(server, out);
  if (process().crashed_ && !crashed_before_) {
    for (std::size_t server = 0; server < before_.size(); ++server) {
      const auto here = static_cast<int>(server);
      const auto posted = std::ranges::count(out.posted, here, &SiteOutput::peer);
      out.closed.push_back({.peer = here, .slots = ~std::uint64_t{0}, .before = static_cast<std::size_t>(posted)});
    }
  }
}

std::optional<std::size_t> IsolatedHost::slot_before(const Connection& connection) const {
  const auto server = static_cast<std::size_t>(connection.server - clients_);
  if (before_[server] == &connection) return 0;
  const auto found = std::ranges::find(further_before_[server], &connection);
  if (found == further_before_[server].end()) return std::nullopt;
  return static_cast<std::size_t>(found - further_before_[server].begin()) + 1;
}

/// A client's to one server: what was sent over connections that it has closed comes before what left after that.
void IsolatedHost::post_requests(std::size_t server, Output& out) {
  const std::size_t already = out.posted.size();
  ClosedConnections closed{.peer = static_cast<int>(server)};
  closed.reopened = before_[server] != process().connections_[server];
  if (closed.reopened) closed.add(0);
  const auto& further = process().further_[server];
  for (std::size_t i = 0; i < further_before_[server].size(); ++i) {
    const Connection* const before = further_before_[server][i];
    if (before && (i >= further.size() || before != further[i])) closed.add(i + 1);
  }
  const auto post_over = [&](bool open) {
    for (const auto& connection : world_.connections_) {
      if (connection->client != host() || connection->server != static_cast<HostIndex>(server) + clients_) continue;
      const auto slot = process().slot_of(*connection), before = slot_before(*connection);
      if (slot.has_value() != open) continue;
      post(*connection, static_cast<int>(slot.value_or(before.value_or(1))), connection->requests, out.posted);
    }
  };
  post_over(false);
  closed.before = out.posted.size() - already;
  if (closed.slots != 0) out.closed.push_back(closed);
  post_over(true);
}

/// Which connections of clients have ended by now. A client may turn to another server before that, or after.
void IsolatedHost::note_resets() {
  if (client()) return;
  for (int client = 0; client < clients_; ++client) {
    const Process& nobody = *world_.processes_[static_cast<std::size_t>(client)];
    for (const int server : servers()) {
      if (nobody.connections_[static_cast<std::size_t>(server)]->reset) note_reset({client, server, Reset::all});
    }
  }
  for (const auto& [key, connection] : by_slot_) {
    const int server = servers()[static_cast<std::size_t>(key.place)];
    if (connection && connection->reset) note_reset({key.client, server, key.slot});
  }
}

/// The first time.
void IsolatedHost::note_reset(Reset reset) {
  const auto covers = [&](const Reset& one) {
    return one.client == reset.client && one.server == reset.server &&
           (one.slot == Reset::all || one.slot == reset.slot);
  };
  if (std::ranges::any_of(resets_, covers)) return;
  reset.after = reached_.size();
  resets_.push_back(reset);
}

/// The clients of this world do not run; the news that a connection is closed goes to the real client.
void IsolatedHost::end_resets() {
  note_resets();
  for (const Reset& one : resets_) {
    Connection& main =
        *world_.processes_[static_cast<std::size_t>(one.client)]->connections_[static_cast<std::size_t>(one.server)];
    main.reset = false;
    main.replies.forget();
  }
}

void IsolatedHost::server_output(Output& out) {
  end_resets();
  out.resets = std::exchange(resets_, {});
  for (const auto& connection : world_.connections_) {
    if (!is_here(connection->server) || connection->replies.messages().empty()) continue;
    const auto known = std::ranges::find_if(by_slot_, [&](const auto& e) { return e.second == connection.get(); });
    if (known == by_slot_.end()) throw std::logic_error("a reply on a connection that was not opened");
    post(*connection, known->first.slot, connection->replies, out.posted);
  }
  forget_reset_connections();
}

void IsolatedHost::forget_reset_connections() {
  for (auto& [key, connection] : by_slot_) {
    if (connection && connection->reset) connection = nullptr;
  }
}

/// Those between servers of the site stay.
void IsolatedHost::take_cuts(Output& out) {
  std::erase_if(world_.cuts_, [&](const World::Cut& cut) {
    if (is_here(cut.from) && is_here(cut.to)) return false;
    const bool replies = cut.from >= clients_;
    const HostIndex client = replies ? cut.to : cut.from, server = replies ? cut.from : cut.to;
    // Two clients exchange no messages, and neither do servers of two sites.
    if (client < clients_ && server >= clients_) {
      out.severed.push_back({client, server - clients_, replies, cut.until - world_.now_});
    }
    return true;
  });
}

void IsolatedHost::take_consequences(Output& out) {
  for (const Reach& one : std::exchange(reached_, {})) out.consequences.push_back(one.consequence);
}

Output IsolatedHost::take_output() {
  Output out;
  client() ? client_output(out) : server_output(out);
  take_cuts(out);
  take_consequences(out);
  out.buffered = buffered_;
  out.budget = world_.budget_.counts();
  out.events = world_.take_events();
  out.struck = world_.take_struck();
  return out;
}

void IsolatedHost::drop_output() {
  if (!client()) end_resets();
  resets_.clear();
  for (const auto& connection : world_.connections_) {
    Line& out = client() ? connection->requests : connection->replies;
    if (is_here(client() ? connection->client : connection->server)) out.forget();
  }
  forget_reset_connections();
  Output rest;
  take_cuts(rest);
  reached_.clear();
  (void)world_.take_events();
  (void)world_.take_struck();
}

}  // namespace lockproof::sim
