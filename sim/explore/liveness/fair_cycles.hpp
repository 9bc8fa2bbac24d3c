// SPDX-License-Identifier: Apache-2.0
// FairCycles: a state graph, searched for schedules in which somebody who wants the lock never gets it. Such a schedule
// is a lasso: a stem, and a turn that leads back to where it began and so can go on for ever. Every event that is due
// happens before time passes, so a turn on which time passes leaves nobody out: it is weakly fair. No fault strikes on
// it: faults are few, so they stop. And it does not live on luck: whatever is drawn at random on the way (a jitter), it
// can go on. These are the end components of the graph, read as a Markov decision process (de Alfaro, Formal
// Verification of Probabilistic Systems, 1997), and without draws the strongly connected components.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/stop.hpp"

namespace lockproof::sim {

struct Lasso {
  std::vector<std::uint32_t> stem, turn;  // events by number; an empty turn: nothing happens any more
  std::size_t client = 0;                 // who never gets the lock
  bool others_get_it = false;             // on the turn
  int faults = 0;                         // on the stem
};

class FairCycles {
 public:
  /// Of clients, by bit.
  using Clients = std::uint64_t;
  struct Event {
    std::uint32_t from = 0, to = 0;
    std::uint32_t act = 0;  // of one state: events of the same act differ in what is drawn only
    bool time_passes = false;
    int faults = 0;     // that strike
    Clients gets_it{};  // who gets the lock
  };

  /// States are numbered from 0, where every schedule begins. `wants`: who wants the lock.
  void add_state(Clients wants) { wants_.push_back(wants); }
  void add_event(const Event& event) { events_.push_back(event); }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] std::uint64_t bytes() const { return wants_.size() * 48 + events_.size() * (sizeof(Event) + 16); }

  /// Of each end component one lasso, those with the fewest faults and then the shortest stem first; at most `most`
  /// for each client, where nobody gets the lock and where others do. Throws Stopped.
  [[nodiscard]] std::vector<Lasso> lassos(std::size_t most, const std::stop_token& stop = {}) const;

 private:
  struct Reached;
  struct Region;
  [[nodiscard]] Reached reach(const std::stop_token& stop) const;
  [[nodiscard]] Region region(std::size_t client, bool others_get_it, const std::vector<std::uint32_t>& order,
                              const std::stop_token& stop) const;
  [[nodiscard]] std::vector<std::uint32_t> turn(const Region& region, std::uint32_t from, bool others_get_it) const;

  std::vector<Clients> wants_;
  std::vector<Event> events_;
};

}  // namespace lockproof::sim
