// SPDX-License-Identifier: Apache-2.0
// The part of Successors for programs. What such a client does may have no end, and no state of it comes back: its
// state is its history. So a search does not follow it beyond the scenario's horizon, nor where nobody else will ever
// do anything, it has not answered for too long, and no property will be judged otherwise. docs/semantics/programs.md.
#include <algorithm>

#include "search/state_space/successors.hpp"

namespace lockproof::sim {

/// `due`: the time until the next event. `nothing_comes`: it is followed.
EndReason Successors::cut_off(const Tuple& tuple, Duration due) {
  if (due > left_until_horizon(tuple)) return EndReason::horizon;
  return only_overdue(tuple) && monitors_have_settled(tuple) ? EndReason::unanswered : EndReason::nothing_comes;
}

Duration Successors::left_until_horizon(const Tuple& tuple) const {
  Duration left = p_.shared_.scenario.horizon;
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    const Traits& client = p_.hosts_[i]->traits(*p_.groups_[i]->parts(tuple[i]));
    left = std::min(left, p_.shared_.scenario.horizon - client.now);
  }
  return left;
}

bool Successors::is_given_up(const Tuple& tuple) const {
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    if (p_.hosts_[i]->traits(*p_.groups_[i]->parts(tuple[i])).given_up) return true;
  }
  return false;
}

/// Whether all events to come are those of one program that has not answered for too long, and of its connections.
bool Successors::only_overdue(const Tuple& tuple) {
  const Traits* acting = nullptr;
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    if (p_.groups_[i]->at(tuple[i]).due >= IsolatedHost::never) continue;
    if (acting) return false;
    acting = &p_.hosts_[i]->traits(*p_.groups_[i]->parts(tuple[i]));
  }
  if (!acting || !acting->overdue) return false;
  for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) {
    if (p_.hosts_[i]->summary(tuple[i]).due < IsolatedHost::never || p_.hosts_[i]->traits(tuple[i]).leases)
      return false;
  }
  return true;
}

/// Whether time alone makes no difference to them any more.
bool Successors::monitors_have_settled(const Tuple& tuple) {
  constexpr Duration for_good = std::chrono::hours(24 * 365);
  for (std::size_t i = 0; i < p_.monitor_states_.count(); ++i) {
    Watcher& watcher = p_.monitor_states_.at(i);
    const Id state = tuple[p_.watch_column_ + i];
    Id later = watcher.known_aged(state, for_good);
    if (later == FlatMap::none && gives_up()) return false;
    if (later == FlatMap::none) later = watcher.aged(state, for_good);
    if (later != state) return false;
  }
  return true;
}

}  // namespace lockproof::sim
