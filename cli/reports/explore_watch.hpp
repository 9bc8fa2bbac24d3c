// SPDX-License-Identifier: Apache-2.0
// ExploreWatch: looks after a search, or several, while they run: the time, Ctrl-C, and on a terminal a line that tells
// how far it is.
#pragma once

#include <optional>
#include <string>

#include "cli/options/limit_guard.hpp"
#include "cli/reports/explore_report.hpp"
#include "sim/explore/exploration.hpp"

namespace lockproof::cli {

class ExploreWatch {
 public:
  /// As a LimitGuard. `shows`: it may tell how far it is.
  ExploreWatch(std::optional<Duration> limit, std::optional<std::uint64_t> memory, bool shows = true);
  ~ExploreWatch();
  ExploreWatch(const ExploreWatch&) = delete;
  ExploreWatch& operator=(const ExploreWatch&) = delete;

  bool go_on(const sim::Progress& progress);
  /// The same, for what tells in its own words how far it is.
  bool go_on(const std::string& line);
  /// Takes the line away, before something else is printed.
  void clear();
  [[nodiscard]] const LimitGuard& guard() const { return guard_; }
  [[nodiscard]] double seconds() const { return guard_.seconds(); }
  /// Why it said no.
  [[nodiscard]] Stop stop() const { return guard_.why(); }

 private:
  void show(const sim::Progress& progress, double now);
  void show(std::string line);

  LimitGuard guard_;
  const std::uint64_t memory_;
  const bool terminal_;
  double shown_ = 0, next_probe_ = 1;  // when
  std::uint64_t last_ = 0;             // transitions when it was shown
  std::optional<sim::Probed> probed_;
};

/// States, transitions a second, what waits, memory, where the search is (all with fewer faults is done), and an
/// estimate of the share that was visited.
[[nodiscard]] std::string progress_text(const sim::Progress& progress, double rate, std::uint64_t memory,
                                        const std::optional<sim::Probed>& probed);

}  // namespace lockproof::cli
