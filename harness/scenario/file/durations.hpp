// SPDX-License-Identifier: Apache-2.0
// Durations of [explore], which may be given in what the scenario says: "T/2", "2T-10ms", "slack+grid", "timeout/2".
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

class Durations {
 public:
  /// `latency`, `grid`: the search's.
  Durations(const Scenario& scenario, const Window& latency, Duration grid);

  /// Nothing if it is no duration.
  [[nodiscard]] std::optional<Duration> from(std::string_view text, bool sign) const;
  /// The name in it of something that this scenario does not have: "slack", if the work takes as long as the lease.
  /// Empty: none.
  [[nodiscard]] std::string_view missing_in(std::string_view text) const;
  [[nodiscard]] Duration grid() const { return grid_; }

 private:
  using Symbol = std::pair<std::string_view, Duration>;

  [[nodiscard]] Symbol symbol_in(std::string_view text) const;
  [[nodiscard]] std::optional<Duration> plain(std::string_view text, bool sign) const;

  const std::array<Symbol, 4> symbols_;
  const Duration grid_;
};

}  // namespace lockproof::harness
