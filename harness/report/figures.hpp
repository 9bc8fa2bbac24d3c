// SPDX-License-Identifier: Apache-2.0
// Figures: what a history says about how fast a lock is. Read off its events, like a verdict, in both worlds alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// From the beginning of a round to its grant.
struct Wait {
  Duration lasted{};
  bool over = true;  // false: the history ended first, so it lasted at least so long
};

struct Figures {
  std::int64_t acquisitions = 0;
  Duration window{};                 // of the history
  std::vector<Wait> waits;           // shortest first
  std::optional<Duration> takeover;  // from the first crash to the next grant
  Duration watched{};                // from the first crash to the end of the history
  std::string two_inside;            // kind of the worst violation of mutual exclusion; empty: none

  [[nodiscard]] double per_second() const;
};

[[nodiscard]] Figures figures_of(const History& history, const Scenario& scenario);

/// The least of the waits that this share of them does not exceed (nearest rank); nothing if there are none.
[[nodiscard]] std::optional<Wait> percentile(const std::vector<Wait>& waits, int percent);

}  // namespace lockproof::harness
