// SPDX-License-Identifier: Apache-2.0
// The bench table: for each algorithm, world and number of clients what several runs came to, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/figures.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// What all runs have in common; the table states it.
struct BenchSetup {
  Duration hold, think_time, lease;
  Window latency;       // simulated, one way
  int redlock_servers;  // all others have one
  std::vector<int> clients;
  int runs;  // of each kind, for each cell; cells show medians
};

/// One algorithm in one world with so many clients.
struct BenchCell {
  std::string algorithm;
  std::string world;  // simulated, real
  int clients = 0;
  Duration window{};                            // of one run of the load
  double rate = 0, rate_min = 0, rate_max = 0;  // acquisitions per second: median, least, most
  std::optional<Wait> p50, p99;
  std::optional<Duration> takeover;
  Duration watched{};  // how long the lock was free, if no client took over
  bool broken =
      false;  // in one of the runs two clients were entitled at once; such a lock is fast because it excludes no client
};

/// `load` and `crash`: what the runs of each kind came to; not empty.
[[nodiscard]] BenchCell bench_cell(std::string algorithm, std::string world, int clients,
                                   const std::vector<Figures>& load, const std::vector<Figures>& crash);

[[nodiscard]] std::string bench_heading(const BenchSetup& setup);
/// One line: the cells of one algorithm in one world, by number of clients.
[[nodiscard]] std::string bench_line(const std::vector<BenchCell>& cells);
[[nodiscard]] std::string bench_assumptions(const BenchSetup& setup, bool with_real);
[[nodiscard]] std::string bench_json(const BenchSetup& setup, const std::vector<BenchCell>& cells);

}  // namespace lockproof::harness
