// SPDX-License-Identifier: Apache-2.0
// The part of Successors that judges what has happened, and passes it on.
#include <algorithm>

#include "sim/explore/state_space/successors.hpp"

namespace lockproof::sim {

const MonitorStates::Violations& Successors::at_end(const Tuple& tuple) {
  static const MonitorStates::Violations nothing;
  const Id watch = tuple[p_.watch_column_];
  if (const MonitorStates::Seen* known = p_.monitor_states_.known(watch, p_.end_)) return known->broken;
  return gives_up() ? nothing : p_.monitor_states_.seen(watch, p_.end_).broken;
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
  const MonitorStates::Violations* broken = &nothing;
  MonitorStates::Violations of_all;  // if there are several lists
  std::string_view kind;
  bool entered = false, contended = false;
  Id& watch = next_[p_.watch_column_];
  const EventLists& events = p_.shared_.events;
  const auto seen = [&](Id list) -> const MonitorStates::Seen& {
    static const MonitorStates::Seen anything{};
    if (const MonitorStates::Seen* known = p_.monitor_states_.known(watch, list)) return *known;
    return gives_up() ? anything : p_.monitor_states_.seen(watch, list);
  };
  for (const auto& [site, list] : noted_) {
    if (list == EventLists::empty) continue;
    const MonitorStates::Seen& after = seen(list);
    watch = after.state;
    if (noted_.size() == 1) broken = &after.broken;
    if (noted_.size() > 1) of_all.insert(of_all.end(), after.broken.begin(), after.broken.end());
    if (events.enters(list)) kind = exclusion(site, events.promised(list));
    entered |= events.enters(list);
    contended |= contends(site, list);
  }
  if (noted_.size() > 1) broken = &of_all;
  for (const Id lost : losses) watch = seen(lost).state;
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
            .broken = *broken,
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
  std::string_view worst;
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Group& other = p_.groups_[i]->at(next_[i]);
    if (i == entering || !other.inside) continue;
    if (promised && other.entitled) return "double-grant";
    worst = "outlived";
  }
  return worst;
}

}  // namespace lockproof::sim
