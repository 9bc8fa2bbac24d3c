// SPDX-License-Identifier: Apache-2.0
// ExploreWatch: looks after a search, or several, while they run: the time, Ctrl-C, and the line of progress.
#pragma once

#include <optional>
#include <string>

#include "cli/options/arguments.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/output/progress_line.hpp"
#include "search/search.hpp"

namespace lockproof::cli {

class ExploreWatch {
 public:
  /// As a LimitGuard. `shows`: it may tell how far it is.
  ExploreWatch(std::optional<Duration> limit, std::optional<std::uint64_t> memory, bool shows = true,
               std::uint64_t kept = 0);

  bool go_on(const sim::Progress& progress);
  /// Limits of a question that it looks after; the guard counts the memory of the process. 0 workers: all cores.
  [[nodiscard]] search::Limits limits(unsigned workers);
  /// The same, for what tells in its own words how far it is.
  bool go_on(const std::string& line);
  /// The same, for so many of so many.
  bool go_on(std::uint64_t done, std::uint64_t all, std::string_view what);
  [[nodiscard]] ProgressLine& line() { return line_; }
  [[nodiscard]] const LimitGuard& guard() const { return guard_; }
  [[nodiscard]] double seconds() const { return guard_.seconds(); }
  /// Why it said no.
  [[nodiscard]] StopReason stop() const { return guard_.why(); }

 private:
  void show(const sim::Progress& progress, double now);

  LimitGuard guard_;
  ProgressLine line_;
  const std::uint64_t memory_;
  double shown_ = 0, next_probe_ = 1;  // when
  std::optional<sim::CoverageEstimate> probed_;
};

/// Searches at the same time: as many as the command line says, or as there are cores.
[[nodiscard]] unsigned workers_of(const Arguments& arguments);

/// States, what waits, memory, where the search is (all with fewer faults is done), and an estimate of the share that
/// was visited. With the time behind it, it fits into 80 columns.
[[nodiscard]] std::string progress_text(const sim::Progress& progress, std::uint64_t memory,
                                        const std::optional<sim::CoverageEstimate>& probed);

}  // namespace lockproof::cli
