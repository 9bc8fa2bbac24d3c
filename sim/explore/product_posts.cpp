// SPDX-License-Identifier: Apache-2.0
// Product's part that moves what leaves a host: letters onto links, and connections that end.
#include <algorithm>

#include "sim/explore/product.hpp"

namespace lockproof::sim {
namespace {

bool is_reset(const Link& link, int slot) {
  return std::ranges::any_of(link.wires, [&](const Wire& w) { return w.slot == slot && !w.closed && w.reset; });
}

}  // namespace

Id Product::push_request(Id link, const PostedLetter& posted) {
  const std::uint64_t place =
      static_cast<std::uint64_t>(posted.slot) << 8 | static_cast<std::uint64_t>(posted.flight.distance);
  const Key128 at{static_cast<std::uint64_t>(posted.way.count()) << 16 | place,
                  std::uint64_t{link} << 32 | posted.flight.letter};
  const Id known = requests_.find(at);
  if (known != FlatMap::none) return known;
  const Id id = links_.add(with_request(links_.at(link), posted.slot, posted.flight, posted.way));
  requests_.insert(at, id);
  return id;
}

Id Product::push_reply(Id link, const PostedLetter& posted) {
  const std::uint64_t place =
      static_cast<std::uint64_t>(posted.slot) << 8 | static_cast<std::uint64_t>(posted.flight.distance + 1);
  const Key128 at{static_cast<std::uint64_t>(posted.way.count()) << 16 | place,
                  std::uint64_t{link} << 32 | posted.flight.letter};
  const Id known = replies_.find(at);
  if (known != FlatMap::none) return known;
  const Id id = links_.add(with_reply(links_.at(link), posted.slot, posted.flight, posted.way));
  replies_.insert(at, id);
  return id;
}

/// What was sent before, and is not there yet or stands at the server, is so many commands further back now.
void Product::shift(Tuple& tuple, int client, int server, int sent) {
  Id& link = tuple[link_column(client, server)];
  if (links_.has_commands(link)) {
    link = changed(sent_, link, static_cast<std::uint64_t>(sent), [&](const Link& l) { return with_sent(l, sent); });
  }
  Id& state = tuple[server_column(server)];
  Host& host = *hosts_[server_column(server)];
  if (host.traits(state).held.empty()) return;
  const Input one{.kind = Input::Kind::shift, .peer = client};
  for (int i = 0; i < sent; ++i) state = host.quiet_step(state, key(state, one, 0, 0), one);
}

/// Letters to one server stand together, those that left before a connection was closed first.
void Product::client_posts(Tuple& tuple, int client, const Outcome& outcome) {
  for (std::size_t server = 0; server < outcome.sent.size(); ++server) {
    if (outcome.sent[server] > 0) shift(tuple, client, static_cast<int>(server), outcome.sent[server]);
  }
  const auto post = [&](const PostedLetter& posted) {
    Id& link = tuple[link_column(client, posted.peer)];
    if (links_.has_resets(link) && is_reset(links_.at(link), posted.slot)) {
      losses_.push_back(shared_.events.losses(client, server_host(posted.peer), {posted.flight.distance}));
    }
    link = push_request(link, posted);
  };
  if (outcome.closed.empty()) {
    for (const PostedLetter& posted : outcome.posted) post(posted);
    return;
  }
  for (std::size_t server = 0; server < servers_; ++server) {
    const auto closed = std::ranges::find(outcome.closed, static_cast<int>(server), &Closed::peer);
    std::size_t posted_here = 0;
    for (const PostedLetter& posted : outcome.posted) {
      if (posted.peer != static_cast<int>(server)) continue;
      if (closed != outcome.closed.end() && closed->reopened && posted_here == closed->before) {
        close(tuple, client, posted.peer, true);
      }
      post(posted);
      ++posted_here;
    }
    if (closed == outcome.closed.end()) continue;
    if (!closed->reopened || posted_here <= closed->before)
      close(tuple, client, static_cast<int>(server), closed->reopened);
  }
}

/// All of a client's connections to a server end, there.
void Product::reset(Tuple& tuple, int client, int server) {
  Id& column = tuple[link_column(client, server)];
  std::vector<int> lost;
  for (const Wire& wire : links_.at(column).wires) {
    for (const Flight& flight : wire.requests.flights) lost.push_back(flight.distance);
  }
  if (!lost.empty()) losses_.push_back(shared_.events.losses(client, server_host(server), lost));
  const Flight news{.letter = reset_letter_, .distance = -1};
  column = changed(reset_, column, 0,
                   [&](const Link& link) { return with_reset(link, news, shared_.scenario.network.latency.least); });
}

void Product::sever(Tuple& tuple, std::size_t host, const Severed& cut) {
  const bool at_client = host < clients_;
  const int here = static_cast<int>(at_client ? host : host - clients_);
  Id& column = tuple[at_client ? link_column(here, cut.peer) : link_column(cut.peer, here)];
  column = links_.add(severed(links_.at(column), at_client == cut.from_peer, cut.lasts));
}

void Product::server_posts(Tuple& tuple, int server, const Outcome& outcome) {
  for (const PostedLetter& posted : outcome.posted) {
    Id& link = tuple[link_column(posted.peer, server)];
    link = push_reply(link, posted);
    if (posted.refused) {
      losses_.push_back(shared_.events.losses(posted.peer, server_host(server), {posted.flight.distance}));
    }
  }
  for (const int client : outcome.resets) reset(tuple, client, server);
  for (std::size_t client = 0; client < clients_; ++client) tidy(tuple, static_cast<int>(client), server);
}

/// What becomes of a link, worked out once for each.
template <class Change>
Id Product::changed(FlatMap& known, Id link, std::uint64_t how, Change change) {
  const Key128 at{how, link};
  const Id before = known.find(at);
  if (before != FlatMap::none) return before;
  const Id id = links_.add(change(links_.at(link)));
  known.insert(at, id);
  return id;
}

void Product::close(Tuple& tuple, int client, int server, bool reopened) {
  Id& column = tuple[link_column(client, server)];
  const Id after = changed(closed_, column, reopened, [&](const Link& link) { return closed(link, reopened); });
  Id& state = tuple[server_column(server)];
  for (std::size_t i = 0; i < links_.at(column).wires.size(); ++i) {
    rename(state, client, server, links_.at(column).wires[i].slot, links_.at(after).wires[i].slot);
  }
  column = after;
  tidy(tuple, client, server);
}

void Product::rename(Id& state, int client, int server, int from, int to) {
  if (from == to) return;
  const Input renamed{.kind = Input::Kind::renamed, .peer = client, .slot = from, .distance = to};
  state = hosts_[server_column(server)]->quiet_step(state, key(state, renamed, 0, 0), renamed);
}

/// A closed connection that nothing is left of, on the way or in a server that stands still, is forgotten on both
/// sides.
void Product::tidy(Tuple& tuple, int client, int server) {
  Id& column = tuple[link_column(client, server)];
  if (!links_.has_idle_wires(column)) return;
  Id& state = tuple[server_column(server)];
  Host& host = *hosts_[server_column(server)];
  const auto& held = host.traits(state).held;
  const auto is_held = [&](int slot) { return std::ranges::find(held, std::pair(client, slot)) != held.end(); };
  const auto without = [&](const Link& link) { return tidied(link, is_held); };
  const Id after = held.empty() ? changed(tidied_, column, 0, without) : links_.add(without(links_.at(column)));
  const Link& before = links_.at(column);
  // Which slot a closed connection has must not tell what others there were.
  std::size_t left = 0;
  for (const Wire& wire : before.wires) {
    if (idle(wire) && !is_held(wire.slot)) {
      const Input gone{.kind = Input::Kind::disconnected, .peer = client, .slot = wire.slot};
      state = host.quiet_step(state, key(state, gone, 0, 0), gone);
    } else {
      rename(state, client, server, wire.slot, links_.at(after).wires[left++].slot);
    }
  }
  column = after;
}

}  // namespace lockproof::sim
