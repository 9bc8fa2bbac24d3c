// SPDX-License-Identifier: Apache-2.0
// EventLists: what monitors see of an event of a site, each list once, as a number.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "harness/history/event.hpp"
#include "search/automata/links.hpp"
#include "search/containers/flat_map.hpp"
#include "search/containers/interner.hpp"
#include "search/core/round_coverage.hpp"

namespace lockproof::sim {

/// Lists of the events that monitors look at, each once. Messages are numbered as in a run of their own: a command's
/// number is how many commands were sent after it, counted back from 0.
class EventLists {
 public:
  /// `timed`: a monitor looks at the time of every event, and at the remaining time of a key. `promised`: and at the
  /// remaining time of a grant.
  EventLists(bool timed, bool promised) : timed_(timed), keeps_left_(promised) { (void)add({}, 0, 0, 0); }
  /// `scripted`: number of faults of the scenario, which keep their numbers; those of a budget have none.
  Id add(std::vector<harness::Event> events, int host, int clients, int scripted);
  /// Commands of a client to a server are lost; `distances` says how many were sent after each.
  Id losses(int client, int server, const std::vector<int>& distances);
  /// The list with each of its events rewritten.
  Id rewritten(Id id, const std::function<void(harness::Event&)>& rewrite);
  [[nodiscard]] const std::vector<harness::Event>& at(Id id) const { return lists_[id]; }
  [[nodiscard]] bool enters(Id id) const { return enters_[id]; }
  /// Whether the client that enters is entitled at that instant; a fault of the same step may change its clock
  /// afterwards.
  [[nodiscard]] bool promised(Id id) const { return promised_[id]; }
  /// Whether a client finds the lock taken.
  [[nodiscard]] bool contends(Id id) const { return contends_[id]; }
  [[nodiscard]] bool asks(Id id) const { return asks_[id]; }
  /// The scenario's faults, by number, that strike in one of the lists.
  [[nodiscard]] const std::set<int>& struck() const { return struck_; }
  /// What happened in any of the lists, whenever and to whichever host of its sort: see Exploration::outcomes.
  [[nodiscard]] std::set<std::string> outcomes(int clients) const;
  /// The rounds of clients that begin in one of the lists, and those that get the lock: client and number.
  [[nodiscard]] const RoundCoverage& rounds() const { return rounds_; }
  /// The event that nothing will happen any more; `finished` false: that nothing more is looked at.
  Id end(bool finished);
  static constexpr Id empty = 0;

 private:
  Id keep(std::vector<harness::Event> events, bool promised);

  const bool timed_, keeps_left_;
  Interner interner_;
  std::vector<std::vector<harness::Event>> lists_;
  std::vector<bool> enters_, promised_, contends_, asks_;
  std::set<int> struck_;
  RoundCoverage rounds_;
};

}  // namespace lockproof::sim
