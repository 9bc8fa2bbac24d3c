// SPDX-License-Identifier: Apache-2.0
// The part of Successors for those that keep in rows what it says: the events of one client alone, and what becomes of
// a state with time.
#include "search/state_space/successors.hpp"

namespace lockproof::sim {

void Successors::each_event_of(const Tuple& tuple, std::size_t client, Listener& listener) {
  look_at(p_.shared_.stop);
  (void)after(tuple, Duration{});
  const int locals = p_.groups_[client]->at(now_[client]).locals;
  for (int n = 0; n < locals; ++n) listener.see(true, 0, effects(client, static_cast<std::uint32_t>(n)));
  for (std::size_t i = 0; i < p_.servers_; ++i) {
    const int server = static_cast<int>(i);
    std::uint32_t place = 0;
    const Id link = p_.groups_[client]->link(now_[client], i);
    if (p_.links_.due(link) != Duration{}) continue;
    for (const Arrival& arrival : p_.links_.arrivals(link)) {
      if (!arrival.reply) listener.see_request(server, place);
      if (arrival.reply) listener.see(false, server, effects(client, reply_event(server, place)));
      ++place;
    }
  }
}

void Successors::each_run(const Tuple& tuple, std::size_t client, int server, std::uint32_t place, Listener& listener) {
  struct NullSink final : Sink {
    void see(const Successor&) override {}
  } nothing;
  struct Turn {
    Listener*& to;
    ~Turn() { to = nullptr; }
  } const turn{listener_};
  look_at(p_.shared_.stop);
  (void)after(tuple, Duration{});
  listener_ = &listener;
  const Id link = p_.groups_[client]->link(now_[client], static_cast<std::size_t>(server));
  Move move{.local = false, .client = static_cast<int>(client), .server = server};
  request(Arrival(p_.links_.arrivals(link)[place]), place, move, nothing);
}

Successors::Tuple& Successors::after(const Tuple& tuple, Duration by) {
  unknown_ = looks_ahead_ = false;
  losses_.clear();
  told_ = nullptr;
  now_ = tuple;
  age(by);
  return now_;
}

bool Successors::named(Tuple& tuple) {
  unknown_ = false;
  return name(tuple);
}

}  // namespace lockproof::sim
