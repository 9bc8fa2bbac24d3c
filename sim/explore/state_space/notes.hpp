// SPDX-License-Identifier: Apache-2.0
// Notes: what monitors are shown of one event: a list of events, and commands that are lost. What a note makes of the
// monitors depends on their state and the note, and is kept in a small table of its own, so that rows need not be told
// apart by what monitors remember.
#pragma once

#include <map>
#include <vector>

#include "sim/explore/containers/flat_map.hpp"
#include "sim/explore/state_space/monitor_states.hpp"

namespace lockproof::sim {

class Notes final : public Pinned {
 public:
  static constexpr Id nothing = 0, none = PairMap::none;

  explicit Notes(MonitorStates& monitors) : monitors_(monitors), notes_(1) {}

  /// `losses`: lists of events, of one command each, that no property is broken by.
  Id add(Id events, const std::vector<Id>& losses);

  /// What the note makes of the monitors: see `watch` and `breaks`. `none`: not known.
  [[nodiscard]] Id find(Id watch, Id note) const { return after_.find(watch, note); }
  void prefetch(Id watch, Id note) const { after_.prefetch(watch, note); }
  Id learn(Id watch, Id note);
  [[nodiscard]] static Id watch(Id after) { return after & ~broken_bit; }
  [[nodiscard]] static bool breaks(Id after) { return (after & broken_bit) != 0; }
  /// The properties that are broken. REQUIRES: it is known.
  [[nodiscard]] MonitorStates::Violations broken(Id watch, Id note) const {
    return monitors_.broken(watch, notes_[note].front());
  }
  [[nodiscard]] std::uint64_t bytes() const { return after_.bytes(); }

 private:
  static constexpr Id broken_bit = Id{1} << 31;

  MonitorStates& monitors_;
  std::vector<Id> of_events_;              // notes without losses, by their list of events
  std::map<std::vector<Id>, Id> numbers_;  // the others
  std::vector<std::vector<Id>> notes_;     // lists of events: first those of the event, then those of losses
  PairMap after_;
};

}  // namespace lockproof::sim
