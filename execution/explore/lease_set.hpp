// SPDX-License-Identifier: Apache-2.0
// lease = "?": for which leases each property holds, and of what the edges are made. Every schedule and timing is
// searched, in zones, at some leases; between two that differ the edge is found by bisection. How far it moves when
// another duration is longer by one amount says how often that is in it. Nothing is said of a formula unless searches
// on both sides of what it says have confirmed it, at two other points.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/check/properties.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

/// A duration of the scenario, so often.
struct LeaseTerm {
  std::string name;  // "work", "pause", "greatest latency"
  Duration value{};
  std::int64_t times = 0;
};

/// Between two leases that lie one unit apart.
struct LeaseEdge {
  Duration below{}, above{};
  bool holds_above = false;
  std::vector<LeaseTerm> terms{};  // their sum and `rest` is `above`; none: no formula was confirmed
  Duration rest{};
};

struct LeaseSet {
  struct Point {
    Duration lease{};
    check::Verdict verdict = check::Verdict::unknown;
  };
  std::string property;
  std::vector<Point> points{};     // the least lease first: all that were searched with the durations as they are
  std::vector<LeaseEdge> edges{};  // the least first
};

struct LeaseReport {
  harness::Scenario scenario;
  std::vector<LeaseSet> sets;
  std::uint64_t searches = 0, states = 0;
  bool was_stopped = false;
  std::string reproduce;
};

struct LeaseOrder {
  /// The question with this lease, to zones. Throws InputError.
  std::function<search::Question(Duration lease)> ask{};
  search::Limits limits;
  std::function<void(const std::string& doing)> tell{};
};

/// Throws InputError where zones cannot search it.
[[nodiscard]] LeaseReport leases_of(const LeaseOrder& order);

/// "work + pause + 5 x greatest latency - least latency". REQUIRES: it has terms.
[[nodiscard]] std::string formula_of(const LeaseEdge& edge);
[[nodiscard]] std::string lease_text(const LeaseReport& report);
[[nodiscard]] std::string lease_json(const LeaseReport& report);
/// Whether each property is decided at each lease that was searched.
[[nodiscard]] bool is_decided(const LeaseReport& report);

}  // namespace lockproof::execution
