// SPDX-License-Identifier: Apache-2.0
// Schedule: a trail to a violation, in numbers. The events of the trail are followed once more, with every instant
// kept; then each gets a number that the zone allows, a round one if there is one, and the whole is written as a
// scenario.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "search/core/exploration.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

/// A trail: which of the places that an expansion reaches comes next, for each from the beginning on; and then which of
/// the violations of the last one's expansion it is. Without one: for so long after the trail nobody asks.
struct Trail {
  std::span<const std::uint32_t> places;
  std::optional<std::uint32_t> violation{};
  Duration silence{};
};

/// Events of the longest trail that is put in numbers: the zone that keeps all instants grows with their square.
inline constexpr std::size_t longest_trail = 500;

/// REQUIRES: the trail is no longer than the longest. Nothing: no numbers do, since a server's clock rounds, which
/// zones follow only for each lease by itself.
[[nodiscard]] std::optional<sim::ShortestViolation::ConcreteRun> numbered(Successors& successors,
                                                                          const harness::Scenario& scenario,
                                                                          const harness::Bounds& bounds,
                                                                          const Trail& trail);

}  // namespace lockproof::zones
