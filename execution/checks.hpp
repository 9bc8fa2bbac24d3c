// SPDX-License-Identifier: Apache-2.0
// Checks: many scenarios, each in the worlds that it fits, side by side in processes of their own, reported in their
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::execution {

/// What one of several searches may use.
struct SearchShare {
  std::optional<Duration> time;  // nothing: no limit
  std::uint64_t memory = 0;
};

struct CheckOrder {
  bool real = false;      // on servers, too
  bool explores = false;  // every schedule, too
  bool keeps_histories = false;
  std::optional<std::uint64_t> seed;  // nothing: the scenario's own
  unsigned workers = 0;               // at once; 0: as many as are good for the world
  real::Programs programs;
  std::function<void(harness::Scenario&)> put_in_virtual_time;
  std::function<harness::RunReport(const harness::Scenario&, const SearchShare&)> explore;  // in one thread
  std::optional<Duration> time;  // of all runs and searches; what is not done then is unknown
  std::string why_over;          // what is said then
  std::uint64_t memory = 0;      // of the searches that go on at once
  std::function<void(std::size_t done, std::size_t all)> progress;
  std::function<void()> before_report;
  /// `history`: as JSON lines, where it is to be kept.
  std::function<void(harness::RunReport report, const std::string& history)> report;
  /// A lock of a person's own may turn out to be wrong when it runs.
  std::function<void(harness::UnreadableFile)> wrong;
};

/// Searches share the time evenly: what one does not need is left to those behind it.
void check_all(const std::vector<harness::Scenario>& scenarios, const CheckOrder& order);

}  // namespace lockproof::execution
