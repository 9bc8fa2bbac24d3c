// SPDX-License-Identifier: Apache-2.0
// What the rows of many locks in the catalogue share.
#pragma once

#include <array>

#include "algorithms/catalogue.hpp"

namespace lockproof {

constexpr Parameter retry(milliseconds standard) {
  return {.name = "retry", .standard = standard, .meaning = "wait between two attempts"};
}
inline constexpr std::array poll_every_50ms{retry(milliseconds(50))};

// The claims of most locks that expire: a release or renewal proves that the lock is its own, in one step.
inline constexpr Claims owned_lease{
    .double_grant = Claim::without_faults, .owner_release = Claim::always, .bounded_takeover = Claim::always};

}  // namespace lockproof
