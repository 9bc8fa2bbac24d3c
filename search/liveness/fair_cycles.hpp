// SPDX-License-Identifier: Apache-2.0
// FairCycles: searches a state graph for schedules in which a client that wants the lock never gets it. Such a schedule
// is a lasso: a stem, and a turn that leads back to the state in which it began and so can repeat indefinitely. Every
// event that is due happens before time passes, so a turn on which time passes is weakly fair: each enabled host acts.
// No fault strikes on the turn: the number of faults is bounded, so they stop. And the turn does not depend on luck:
// whatever is drawn at random on it (a jitter), the schedule can continue. These are the end components of the graph,
// read as a Markov decision process (de Alfaro, Formal Verification of Probabilistic Systems, 1997), and without draws
// the strongly connected components.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/stop.hpp"

namespace lockproof::sim {

struct Lasso {
  std::vector<std::uint32_t> stem, turn;  // events by number; an empty turn: nothing happens any more
  std::size_t client = 0;                 // the client that never gets the lock
  bool others_get_it = false;             // on the turn
  int faults = 0;                         // on the stem
};

class FairCycles {
 public:
  /// A set of clients, by bit.
  using Clients = std::uint64_t;
  struct Event {
    std::uint32_t from = 0, to = 0;
    std::uint32_t act = 0;  // of one state: events of the same act differ only in what is drawn
    bool time_passes = false;
    int faults = 0;     // that strike
    Clients gets_it{};  // the clients that get the lock
  };

  /// States are numbered from 0, where every schedule begins. `wants`: the clients that want the lock.
  void add_state(Clients wants) { wants_.push_back(wants); }
  void add_event(const Event& event) { events_.push_back(event); }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] std::uint64_t bytes() const { return wants_.size() * 48 + events_.size() * (sizeof(Event) + 16); }

  /// One lasso for each end component, those with the fewest faults and then the shortest stem first. For each client
  /// at most `most` on which no client gets the lock, and as many on which others do. Throws Cancellation.
  [[nodiscard]] std::vector<Lasso> lassos(std::size_t most, const std::stop_token& stop = {}) const;

 private:
  struct SearchDepth;
  struct Region;
  [[nodiscard]] SearchDepth reach(const std::stop_token& stop) const;
  [[nodiscard]] Region region(std::size_t client, bool others_get_it, const std::vector<std::uint32_t>& order,
                              const std::stop_token& stop) const;
  [[nodiscard]] std::vector<std::uint32_t> turn(const Region& region, std::uint32_t from, bool others_get_it) const;

  std::vector<Clients> wants_;
  std::vector<Event> events_;
};

}  // namespace lockproof::sim
