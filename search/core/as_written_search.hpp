// SPDX-License-Identifier: Apache-2.0
// AsWrittenSearch: the search of a scenario whose clients ask as it is written, beside the search of all schedules in
// which they ask freely. It is looked at before the other, and again whenever the other has turned out to be ten times
// as large: a client that polls may make more states, and longer schedules, than one that asks freely. So neither waits
// for long for an answer that the other would have soon.
#pragma once

#include <cstdint>
#include <utility>

#include "algorithms/port/pinned_object.hpp"
#include "search/core/contention.hpp"

namespace lockproof::sim {

class AsWrittenSearch final : public PinnedObject {
 public:
  /// `limits`: those of the whole search. The scenario, the limits and the search must outlive it.
  AsWrittenSearch(harness::Scenario scenario, const Limits& limits, const Search& search)
      : scenario_(std::move(scenario)), limits_(limits), search_(search) {}

  /// What a search has cost so far: states, and runs of the code.
  [[nodiscard]] static std::uint64_t steps(const Progress& progress) { return progress.states + progress.runs; }
  static constexpr std::uint64_t few_steps = 200'000, many_steps = 1'000'000;

  /// Searches with few steps.
  void look();
  /// The other search has taken so many steps. If they are many, searches with twice as many, unless it has ended
  /// before; and again each time that they are ten times as many.
  void look_again(std::uint64_t steps);
  /// Searches everything, if that was not done: what is left to do, from a checkpoint, and with one at a limit.
  void finish();
  /// What was found is enough, or a limit was met: there is nothing more to search, by the other search either.
  [[nodiscard]] bool ends_all() const { return ends_all_; }
  [[nodiscard]] Exploration take() { return std::move(found_); }

 private:
  void run(Limits limits, std::uint64_t most_steps);
  [[nodiscard]] bool is_enough() const;

  const harness::Scenario scenario_;
  const Limits& limits_;
  const Search& search_;
  Exploration found_;
  bool whole_ = false, ends_all_ = false;
  bool cut_ = false;                      // too many steps, when it was looked at last
  std::uint64_t next_look_ = many_steps;  // when the other has taken so many
};

}  // namespace lockproof::sim
