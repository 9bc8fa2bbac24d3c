// SPDX-License-Identifier: Apache-2.0
// ReviewLease: the shortest lease with which nothing that delays a client outlives its lock, found by searches on both
// sides of it.
#pragma once

#include <optional>
#include <string>

#include "execution/review/review_search.hpp"

namespace lockproof::execution {

struct LeaseBoundary {
  std::optional<milliseconds> shortest;  // searched to hold, and one unit less to break; nothing: there is no such edge
  bool whatever = false;                 // it holds with the shortest that was tried, too
  bool unknown = false;                  // a search was too large
  milliseconds longest_tried{};
  std::string text;  // a sentence without its full stop
  std::uint64_t states = 0;
};

/// The reviewer's longest work, with a pause or a lost message in it.
[[nodiscard]] LeaseBoundary lease_boundary(const Review& review, const harness::AlgorithmRef& lock,
                                           const search::Limits& limits);
/// How far apart clients may begin, so that the job is done once in a period.
[[nodiscard]] std::string start_boundary(const Review& review, Setting setting, const search::Limits& limits,
                                         std::uint64_t& states);
/// The least number in (`bad`, `good`] at which `is_good`, if it changes once between them. Nothing: not decided.
template <class IsGood>
std::optional<std::int64_t> bisect(std::int64_t bad, std::int64_t good, IsGood is_good) {
  while (good - bad > 1) {
    const std::int64_t middle = bad + (good - bad) / 2;
    const HoldVerdict answer = is_good(middle);
    if (answer == HoldVerdict::unknown) return std::nullopt;
    (answer == HoldVerdict::yes ? good : bad) = middle;
  }
  return good;
}

}  // namespace lockproof::execution
