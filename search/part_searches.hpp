// SPDX-License-Identifier: Apache-2.0
// PartSearches: the searches of the parts of a budget, side by side. Each is given few states at first; those that need
// more come again, so that small parts are known soon, whatever their order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "search/results/parts.hpp"
#include "search/search.hpp"

namespace lockproof::search {

class PartSearches final : public PinnedObject {
 public:
  /// `options`: of the search of the whole. REQUIRES: all arguments outlive it.
  PartSearches(const harness::Scenario& scenario, const std::vector<sim::Part>& parts, sim::Limits options,
               const Limits& limits);

  /// The sum, in numbers of the whole budget; `into`: what became of each part. The answer depends on the workers only
  /// where a limit in time has ended it.
  [[nodiscard]] sim::Exploration run(const harness::Bounds& whole, std::vector<PartResult>& into);
  /// It was stopped, or what was found is enough.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Of the first part that the stateful engine cannot search; empty: it searched all.
  [[nodiscard]] std::string why_reexecution() const;

 private:
  struct Search {
    sim::Exploration found;
    std::string why_reexecution;
    bool begun = false, ended = false;  // ended: there is nothing to go on with
    sim::Progress progress{};
  };
  void run_round(std::uint64_t work);
  void search(std::size_t part, std::uint64_t work, unsigned workers);
  [[nodiscard]] bool go_on(std::size_t part, const sim::Progress& progress);

  const harness::Scenario& scenario_;
  const std::vector<sim::Part>& parts_;
  const sim::Limits options_;
  const Limits& limits_;
  std::vector<Search> searches_;
  const std::vector<std::optional<std::size_t>> equal_;  // the search that answers a part, if it is another one's
  std::mutex mutex_;                                     // of the progress that is reported
  std::atomic<bool> stopped_ = false;
};

using MinimalFaults = std::function<bool(const std::set<sim::ViolationKind>&)>;
/// Whether what was found ends a search that is asked for no more than `enough`.
[[nodiscard]] bool shows_enough(const sim::Exploration& found, const MinimalFaults& enough);

/// How many paths may be run for so many states.
[[nodiscard]] std::uint64_t paths_of(std::uint64_t work);

/// Whether a search has done as much work as it may.
[[nodiscard]] bool has_worked(const sim::Progress& progress, std::uint64_t most, bool reexecutes);

}  // namespace lockproof::search
