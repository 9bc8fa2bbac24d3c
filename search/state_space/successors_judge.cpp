// SPDX-License-Identifier: Apache-2.0
// The part of Successors that judges what has happened, and passes it on.
#include <algorithm>

#include "harness/check/promise.hpp"
#include "search/state_space/successors.hpp"

namespace lockproof::sim {

MonitorStates::Violations Successors::at_end(const Tuple& tuple, EndReason why) {
  next_ = tuple;
  MonitorStates::Violations broken;
  if (why == EndReason::horizon) age_monitors(next_, left_until_horizon(tuple));
  if (unknown_) return broken;
  show_monitors(why == EndReason::nothing_comes ? p_.end_ : p_.cut_off_, &broken);
  return broken;
}

void Successors::age_monitors(Tuple& tuple, Duration by) {
  for (std::size_t i = 0; i < p_.monitor_states_.count(); ++i) {
    Id& state = tuple[p_.watch_column_ + i];
    const Id known = p_.monitor_states_.at(i).known_aged(state, by);
    if (known == FlatMap::none && gives_up()) return;
    state = known != FlatMap::none ? known : p_.monitor_states_.at(i).aged(state, by);
  }
}

/// All monitors see the list, in the next state. `broken`: gets the violations; null: nobody asks for them.
void Successors::show_monitors(Id list, MonitorStates::Violations* broken) {
  for (std::size_t i = 0; i < p_.monitor_states_.count(); ++i) {
    Watcher& watcher = p_.monitor_states_.at(i);
    Id& state = next_[p_.watch_column_ + i];
    const Watcher::MonitorStep* seen = watcher.known(state, list);
    if (!seen && gives_up()) return;
    if (!seen) seen = &watcher.seen(state, list);
    if (seen->broken && broken) broken->emplace_back(watcher.name(), seen->kind);
    state = seen->state;
  }
}

/// The answers to the questions of all parts, and the lists of their events, in a world's order: what follows at
/// another site comes in the midst of what it follows from.
void Successors::collect(std::span<const Part> parts, std::size_t of) {
  const auto& [site, outcome, because_of, as] = parts[of];
  noted_.emplace_back(site, outcome->events);
  std::size_t passed = 0;
  for (std::size_t i = of + 1; i < parts.size(); ++i) {
    if (parts[i].because_of != of) continue;
    for (; passed < parts[i].as->consequence.answered; ++passed) answers_.push_back(outcome->answers[passed]);
    collect(parts, i);
    noted_.emplace_back(site, parts[i].as->events);
  }
  for (; passed < outcome->answers.size(); ++passed) answers_.push_back(outcome->answers[passed]);
}

void Successors::judge(std::span<const Part> parts, const std::vector<Id>& losses, Move& move, Sink& sink) {
  static const MonitorStates::Violations nothing;
  if (listener_) {
    const auto& [site, outcome, because_of, as] = parts.front();
    return listener_->see({next_, site, outcome, parts.size() > 1, losses});
  }
  const bool asks = std::ranges::any_of(parts, [](const Part& part) { return part.outcome->asks; });
  if (looks_ahead_) {
    if (!unknown_ && name(next_)) sink.see({next_, next_, move, false, false, asks, nothing, {}});
    return;
  }
  noted_.clear();
  answers_.clear();
  if (parts.size() == 1) {
    noted_.emplace_back(parts[0].site, parts[0].outcome->events);
  } else {
    collect(parts, 0);
  }
  MonitorStates::Violations broken;
  std::string_view kind;
  bool entered = false, contended = false;
  const EventLists& events = p_.shared_.events;
  for (const auto& [site, list] : noted_) {
    if (list == EventLists::empty) continue;
    show_monitors(list, &broken);
    if (events.enters(list)) kind = exclusion(site, events.promised(list));
    entered |= events.enters(list);
    contended |= contends(site, list);
  }
  for (const Id lost : losses) show_monitors(lost, nullptr);
  if (unknown_ || !name(next_)) return;
  const Tuple& shown = p_.is_symmetric() ? stand_in(next_) : next_;
  if (unknown_) return;
  move.answers = parts.size() == 1 ? &parts[0].outcome->answers : &answers_;
  sink.see({.tuple = shown,
            .as_it_is = next_,
            .move = move,
            .entered = entered,
            .contended = contended,
            .asks = asks,
            .broken = broken,
            .exclusion = kind});
}

/// A client finds the lock taken, or asks for it while another one asks for it or is inside.
bool Successors::contends(std::size_t host, Id events) const {
  bool rival = p_.shared_.events.contends(events);
  for (std::size_t i = 0; i < p_.clients_ && p_.shared_.events.asks(events); ++i) {
    rival |= i != host && p_.groups_[i]->at(next_[i]).interested;
  }
  return rival;
}

std::string_view Successors::exclusion(std::size_t entering, bool promised) const {
  const harness::Scenario& scenario = p_.shared_.scenario;
  check::Entrance entrance(scenario.permits(), scenario.clients[entering].plan.mode_in(1), promised);
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Group& other = p_.groups_[i]->at(next_[i]);
    if (i != entering && other.inside) entrance.meet(scenario.clients[i].plan.mode_in(1), other.entitled);
  }
  return entrance.kind();
}

}  // namespace lockproof::sim
