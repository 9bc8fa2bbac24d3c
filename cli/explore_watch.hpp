// SPDX-License-Identifier: Apache-2.0
// ExploreWatch: looks after a search, or several, while they run: the time, Ctrl-C, and on a terminal a line that tells
// how far it is.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/explore_report.hpp"
#include "sim/explore/exploration.hpp"

namespace lockproof::cli {

class ExploreWatch {
 public:
  /// Takes SIGINT and SIGTERM until it ends; the second one ends the program at once.
  ExploreWatch(std::optional<Duration> limit, std::uint64_t memory);
  ~ExploreWatch();
  ExploreWatch(const ExploreWatch&) = delete;
  ExploreWatch& operator=(const ExploreWatch&) = delete;

  bool go_on(const sim::Progress& progress);
  /// The same, for what tells in its own words how far it is.
  bool go_on(const std::string& line);
  [[nodiscard]] double seconds() const;
  /// Why it said no.
  [[nodiscard]] Stop stop() const { return stop_; }

 private:
  using Clock = std::chrono::steady_clock;
  void show(const sim::Progress& progress, double now);
  void show(std::string line);
  bool may_go_on(double now);

  const Clock::time_point begin_ = Clock::now();
  const std::optional<Duration> limit_;
  const std::uint64_t memory_;
  const bool terminal_;
  double shown_ = 0, next_probe_ = 1;  // when
  std::uint64_t last_ = 0;             // transitions when it was shown
  std::optional<sim::Probed> probed_;
  Stop stop_ = Stop::none;
};

/// States, transitions a second, what waits, memory, where the search is (all with fewer faults is done), and an
/// estimate of the share that was visited.
[[nodiscard]] std::string progress_text(const sim::Progress& progress, double rate, std::uint64_t memory,
                                        const std::optional<sim::Probed>& probed);

}  // namespace lockproof::cli
