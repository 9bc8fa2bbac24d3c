// SPDX-License-Identifier: Apache-2.0
// Budget: the faults that a search may still use in a run, and the events at which each kind can strike. Between two
// events of a host a fault changes nothing that the host could see before its next event, so events are enough.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// A named event of a host, as faults are placed at.
struct Occasion {
  std::string_view actor;
  bool of_server;
  harness::When::Moment moment;
  std::string_view verb;    // of before and after
  std::string_view client;  // whose command, at a server
  std::string_view server;  // to which, at a client
  int round;
};

class Budget {
 public:
  /// None if there are no bounds. The scenario and its bounds must outlive it.
  Budget(const harness::Scenario& scenario, const harness::Bounds* bounds);

  [[nodiscard]] bool spent() const { return !bounds_ || used_ >= bounds_->max_faults; }
  [[nodiscard]] int used() const { return used_; }
  /// How often each kind has struck, in the order of the bounds: part of a world's state.
  [[nodiscard]] const std::vector<int>& counts() const { return counts_; }

  /// Goes on from counts that another budget has reached.
  void resume(const std::vector<int>& counts);

  /// Call at each occasion, also when nothing can strike: occurrences are counted for the name of the event.
  void count(const Occasion& occasion);

  struct Offer {
    std::size_t entry, form;
    auto operator<=>(const Offer&) const = default;
  };
  /// Told at each occasion what can strike, and before it what could if nothing had been used.
  using Watch = std::function<void(const std::vector<Offer>& ever, const std::vector<Offer>& now)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  /// What was used since this was asked last. Two entries may have the same fault: who is struck cannot tell them
  /// apart.
  [[nodiscard]] std::vector<Offer> take_struck() { return std::exchange(taken_, {}); }
  /// What can strike at the occasion just counted; only entries from `first` on.
  [[nodiscard]] std::vector<Offer> offers(const Occasion& occasion, std::size_t first) const;
  /// What can strike at the start of the run.
  [[nodiscard]] std::vector<Offer> initial_offers(std::size_t first) const;
  /// Uses one; answers the fault, placed at the occasion just counted (or at the start).
  [[nodiscard]] harness::Fault take(const Offer& offer, const Occasion* occasion);

 private:
  [[nodiscard]] static bool can_strike(harness::FaultKind kind, const Occasion& occasion);
  [[nodiscard]] bool is_about(const harness::Fault& form, const Occasion& occasion) const;

  const harness::Scenario& scenario_;
  const harness::Bounds* bounds_;
  std::vector<int> counts_;
  std::vector<Offer> taken_;
  int used_ = 0;
  Watch watch_{};
  std::vector<harness::When> seen_;  // for names only
  std::size_t latest_ = 0;
};

}  // namespace lockproof::sim
