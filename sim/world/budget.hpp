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

/// A named event of a host, at which faults can be placed.
struct Occasion {
  std::string_view actor;
  bool of_server;
  harness::EventPlace::Moment moment;
  std::string_view verb;    // for before and after
  std::string_view client;  // at a server: the client that sent the command
  std::string_view server;  // at a client: the server that the command goes to
  int round;
  harness::Stage stage;
};

class Budget {
 public:
  /// There are no bounds if it is null. The scenario and its bounds must outlive the budget. Throws InputError for a
  /// range, of which runs and searches by events would try the ends alone.
  Budget(const harness::Scenario& scenario, const harness::Bounds* bounds);

  [[nodiscard]] bool spent() const { return !bounds_ || used_ >= bounds_->max_faults; }
  [[nodiscard]] int used() const { return used_; }
  /// How often each kind has struck, in the order of the bounds: part of a world's state.
  [[nodiscard]] const std::vector<int>& counts() const { return counts_; }

  /// Whether a pause may strike this host.
  [[nodiscard]] bool may_pause(std::string_view host) const;

  /// Continues from the counts that another budget has reached.
  void resume(const std::vector<int>& counts);

  /// REQUIRES: called at each occasion, also when no fault can strike: occurrences are counted for the name of the
  /// event.
  void count(const Occasion& occasion);

  struct Offer {
    std::size_t entry, form;
    auto operator<=>(const Offer&) const = default;
  };
  /// Called at each occasion with the faults that could strike if none had been used, and with those that still can.
  using Watch = std::function<void(const std::vector<Offer>& ever, const std::vector<Offer>& now)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  /// A fault strikes that was used when it was placed, and could have ended without an effect until now: a `resend` or
  /// a `retry` as its command leaves again, a `pool-switch` as a command goes over another connection. Others change
  /// nothing here.
  void note_late(const harness::Fault& fault);
  /// The faults that have struck since the last call. Two entries may have the same fault: its effect is the same for
  /// both.
  [[nodiscard]] std::vector<Offer> take_struck() { return std::exchange(taken_, {}); }
  /// The faults that can strike at the occasion just counted; only entries from `first` on.
  [[nodiscard]] std::vector<Offer> offers(const Occasion& occasion, std::size_t first) const;
  /// The faults that can strike at the start of the run.
  [[nodiscard]] std::vector<Offer> initial_offers(std::size_t first) const;
  /// Uses one, and returns the fault, placed at the occasion just counted (or at the start).
  [[nodiscard]] harness::Fault take(const Offer& offer, const Occasion* occasion);

 private:
  [[nodiscard]] bool can_strike(harness::FaultKind kind, const Occasion& occasion) const;
  [[nodiscard]] bool is_server(std::string_view host) const;
  [[nodiscard]] const std::string& a_master() const;
  [[nodiscard]] static bool is_there(const harness::BudgetedFault& entry, const Occasion& occasion);
  [[nodiscard]] static bool fits(const harness::Fault& form, const Occasion& occasion);
  [[nodiscard]] bool is_about(const harness::Fault& form, const Occasion& occasion) const;

  const harness::Scenario& scenario_;
  const harness::Bounds* bounds_;
  std::vector<int> counts_;
  std::vector<Offer> taken_;
  int used_ = 0;
  Watch watch_{};
  std::vector<harness::EventPlace> seen_;  // needed for names only
  std::size_t latest_ = 0;
};

}  // namespace lockproof::sim
