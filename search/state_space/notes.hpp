// SPDX-License-Identifier: Apache-2.0
// Notes: what monitors are shown of one event: a list of events, and commands that are lost. What a note makes of a
// monitor depends on the monitor's state and the note, and is kept in a small table of its own for each monitor, so
// that rows need not be told apart by what monitors remember.
#pragma once

#include <map>
#include <vector>

#include "search/containers/flat_map.hpp"
#include "search/state_space/monitor_states.hpp"

namespace lockproof::sim {

class Notes final : public PinnedObject {
 public:
  static constexpr Id nothing = 0, none = PairMap::none;

  explicit Notes(MonitorStates& monitors) : monitors_(monitors), notes_(1), after_(monitors.count()) {}

  /// `losses`: lists of events, of one command each, that no property is broken by.
  Id add(Id events, const std::vector<Id>& losses);

  /// What the note makes of a monitor: see `state` and `breaks`. `none`: not known.
  [[nodiscard]] Id find(std::size_t monitor, Id state, Id note) const { return after_[monitor].find(state, note); }
  void prefetch(std::size_t monitor, Id state, Id note) const { after_[monitor].prefetch(state, note); }
  Id learn(std::size_t monitor, Id state, Id note);
  [[nodiscard]] static Id state(Id after) { return after & ~broken_bit; }
  [[nodiscard]] static bool breaks(Id after) { return (after & broken_bit) != 0; }
  /// How its property is broken. REQUIRES: it is known, and breaks it.
  [[nodiscard]] const std::string& kind(std::size_t monitor, Id state, Id note) const {
    return monitors_.at(monitor).known(state, notes_[note].front())->kind;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const PairMap& one : after_) bytes += one.bytes();
    return bytes;
  }

 private:
  static constexpr Id broken_bit = Id{1} << 31;

  MonitorStates& monitors_;
  std::vector<Id> of_events_;              // notes without losses, by their list of events
  std::map<std::vector<Id>, Id> numbers_;  // the others
  std::vector<std::vector<Id>> notes_;     // lists of events: first those of the event, then those of losses
  std::vector<PairMap> after_;             // of each monitor
};

}  // namespace lockproof::sim
