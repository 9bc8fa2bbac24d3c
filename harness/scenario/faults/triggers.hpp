// SPDX-License-Identifier: Apache-2.0
// Triggers: which faults strike at a named event of one host. Both worlds ask it at the same moments, so that
// `when = "client-1 before DEL"` means the same in both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

class Triggers {
 public:
  /// The triggers of all faults of the scenario that are placed by an event of `actor`. REQUIRES: the scenario outlives
  /// this object.
  Triggers(const Scenario& scenario, std::string_view actor);

  /// None of this actor's events places a fault: the other call can be left out.
  [[nodiscard]] bool none() const { return waiting_.empty(); }

  /// This event happens now, for a command (`verb`, or empty for enters and exits) of `client` in its `round`. Answers
  /// the faults to strike, as positions in the scenario's list; each strikes once. `server`: where a client's command
  /// goes. `state`: whose the lock is, where that is known.
  std::vector<std::size_t> happens(EventPlace::Moment moment, std::string_view verb, std::string_view client, int round,
                                   std::string_view server = {},
                                   EventPlace::LockState state = EventPlace::LockState::any);

  /// What the client notes in its journal. With an attempt, a release or a renewal, something begins; faults placed
  /// before that strike as its first command is about to leave.
  void noted(What what);
  /// Whether a fault still waits for this moment in this round.
  [[nodiscard]] bool awaits(EventPlace::Moment moment, std::string_view verb, int round) const;

  /// How far each of them has come: with the scenario, all that this is.
  [[nodiscard]] std::vector<int> seen() const;
  /// Goes on from there. REQUIRES: `seen` is of triggers of the same faults.
  void go_on_from(const std::vector<int>& seen);
  /// Whether a fault still waits for an event.
  [[nodiscard]] bool await_anything() const;

 private:
  struct PendingTrigger {
    std::size_t fault;
    const EventPlace* when;
    int seen = 0;  // occurrences so far, until it strikes

    [[nodiscard]] bool is_over() const { return seen >= when->occurrence; }
  };
  std::vector<PendingTrigger> waiting_;
  enum class OpenAct : std::uint8_t { nothing, acquire, release, renew };
  OpenAct begun_ = OpenAct::nothing;  // what has begun and has sent no command yet
};

}  // namespace lockproof::harness
