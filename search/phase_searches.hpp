// SPDX-License-Identifier: Apache-2.0
// PhaseSearches: bounds in time by zones, for every phase of polling. The whole budget is searched if that needs few
// zones. Else its parts are, which need fewer: those of one fault, and then those of two.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "search/results/parts.hpp"
#include "search/search.hpp"

namespace lockproof::search {

class PhaseSearches final : public PinnedObject {
 public:
  /// `states`: of one search. REQUIRES: clients poll, in any phase; all references outlive this object.
  PhaseSearches(const harness::Scenario& polling, const harness::Bounds& bounds, sim::Limits options,
                const Limits& limits, std::uint64_t states);

  /// Nothing: not everything was searched; see shown and open.
  [[nodiscard]] std::optional<sim::Exploration> run();
  /// What was found by then, so that a larger budget loses no violation of a smaller one.
  [[nodiscard]] std::map<sim::ViolationKind, sim::ShortestViolation>& shown() { return shown_; }
  /// Why a smaller budget may show more than a larger one. Empty: it does not. Without a budget there is none.
  [[nodiscard]] const std::string& open() const { return open_; }
  /// Properties of which a violation was found that no run confirms, and why.
  [[nodiscard]] const std::map<std::string, std::string>& unconfirmed() const { return unconfirmed_; }
  /// It was stopped.
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  [[nodiscard]] sim::Exploration search(const harness::Bounds& within);
  [[nodiscard]] std::optional<sim::Exploration> search_parts(int faults);
  void leave_open(const std::string& part);
  void keep(const sim::Exploration& found);

  const harness::Scenario& polling_;
  const harness::Bounds& bounds_;
  const sim::Limits options_;
  const Limits& limits_;
  const std::uint64_t states_most_;
  std::uint64_t states_ = 0;  // of all searches
  bool stopped_ = false;
  std::map<sim::ViolationKind, sim::ShortestViolation> shown_;
  std::string open_;
  std::map<std::string, std::string> unconfirmed_;
};

}  // namespace lockproof::search
