// SPDX-License-Identifier: Apache-2.0
// Excuses: whether the lateness of the machine may be the reason for a violation that has no bound of time. Such a
// violation depends on the order of events. The lateness may be the reason if it can have brought about that order: a
// client left too late, renewed too late, or sent too late what then changed the lock of another one.
// docs/semantics/real.md has the rule for each property.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "harness/check/late_steps.hpp"
#include "harness/check/properties.hpp"

namespace lockproof::check {

class Excuses {
 public:
  /// Both must outlive it.
  Excuses(const harness::History& history, const harness::Scenario& scenario)
      : history_(history), scenario_(scenario), late_(history, scenario) {}

  [[nodiscard]] const LateSteps& late() const { return late_; }
  /// `finding`: a violation of the property, which is none of a bound of time.
  [[nodiscard]] bool may_explain(std::string_view property, const Finding& finding) const;

 private:
  /// How a client came to be without the lock that it had.
  struct Loss {
    Duration at{};
    std::optional<std::size_t> by;  // the event that took it; nothing: its lease was over
  };
  [[nodiscard]] std::optional<Loss> loss_of(harness::HostIndex client, std::size_t position) const;

  [[nodiscard]] bool of_overlap(std::size_t earlier, std::size_t later) const;
  [[nodiscard]] bool of_access(std::size_t other, std::size_t access) const;
  [[nodiscard]] bool of_giving_back(std::size_t execution) const;
  [[nodiscard]] bool of_grant(const Finding& finding) const;
  [[nodiscard]] bool of_second_begin(std::size_t first, std::size_t second) const;
  /// Whether the client may lack the lock, at the event at `position`, because it or another one was late.
  [[nodiscard]] bool of_lacking(harness::HostIndex client, std::size_t position) const;
  [[nodiscard]] bool of_lacking_unseen(harness::HostIndex client, std::size_t position) const;
  [[nodiscard]] bool of_time_out(std::size_t position) const;
  [[nodiscard]] std::size_t begin_of(std::size_t end) const;
  [[nodiscard]] bool waited_in_vain(harness::HostIndex client, std::size_t from, std::size_t until) const;

  [[nodiscard]] const harness::Event& event(std::size_t position) const { return history_.events.at(position); }
  [[nodiscard]] std::optional<std::size_t> last(harness::HostIndex host, harness::What what, std::size_t before) const;
  [[nodiscard]] std::optional<std::size_t> next(harness::HostIndex host, harness::What what, std::size_t after) const;
  [[nodiscard]] bool is_to_server(const harness::Event& event) const;

  const harness::History& history_;
  const harness::Scenario& scenario_;
  const LateSteps late_;
};

/// As renewal_rate, of violations that are there although the first of two renewals may have come late by so much.
[[nodiscard]] Finding renewal_rate_despite(const harness::History& history, const harness::Scenario& scenario,
                                           Duration late);

}  // namespace lockproof::check
