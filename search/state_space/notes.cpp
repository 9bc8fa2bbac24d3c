// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/notes.hpp"

#include "search/automata/unrepresentable.hpp"

namespace lockproof::sim {

Id Notes::add(Id events, const std::vector<Id>& losses) {
  if (events == EventLists::empty && losses.empty()) return nothing;
  const auto next = static_cast<Id>(notes_.size());
  if (losses.empty()) {
    if (events >= of_events_.size()) of_events_.resize(std::size_t{events} * 2, none);
    if (of_events_[events] != none) return of_events_[events];
    notes_.push_back({events});
    return of_events_[events] = next;
  }
  std::vector<Id> lists{events};
  lists.insert(lists.end(), losses.begin(), losses.end());
  const auto [known, is_new] = numbers_.try_emplace(lists, next);
  if (is_new) notes_.push_back(std::move(lists));
  return known->second;
}

Id Notes::learn(std::size_t monitor, Id state, Id note) {
  const std::vector<Id>& lists = notes_[note];
  Id after = state;
  bool broken = false;
  for (std::size_t i = 0; i < lists.size() && monitors_.hears(monitor); ++i) {
    if (lists[i] == EventLists::empty) continue;
    const Watcher::MonitorStep& seen = monitors_.at(monitor).seen(after, lists[i]);
    after = seen.state;
    broken |= i == 0 && seen.broken;
  }
  if (breaks(after)) throw UnrepresentableState("a monitor has more states");
  if (broken) after |= broken_bit;
  after_[monitor].insert(state, note, after);
  return after;
}

}  // namespace lockproof::sim
