// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/pct.hpp"

#include <algorithm>
#include <vector>

namespace lockproof::sim {

PctChooser::PctChooser(const harness::Scenario& scenario, std::uint64_t seed, const Survey& survey, int depth,
                       StrikePlan plan)
    : threads_(scenario), seed_(seed), bits_(mixed(seed, "pct")), plan_(std::move(plan)), by_rank_(bits_.below(2)) {
  for (int level = depth - 1; level > 0; --level) {
    changes_[1 + bits_.below(survey.events)] = static_cast<std::uint64_t>(level);
  }
}

/// Priorities that were drawn at the start are higher than all that a change assigns.
std::uint64_t& PctChooser::priority(const std::string& thread) {
  const auto found = priorities_.find(thread);
  if (found != priorities_.end()) return found->second;
  return priorities_[thread] = mixed(seed_, thread) | (std::uint64_t{1} << 63);
}

std::size_t PctChooser::highest(std::size_t count, const NameOf& name) {
  std::vector<std::size_t> best;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t here = priority(threads_.of(name(i)));
    if (here > most) most = here, best.clear();
    if (here == most) best.push_back(i);
  }
  if (best.size() == 1) return best.front();
  drew_else_ = true;
  return best[static_cast<std::size_t>(bits_.below(best.size()))];
}

std::size_t PctChooser::first_of(std::size_t count, const NameOf& name) {
  ++event_;
  const std::size_t chosen = highest(count, name);
  const auto change = changes_.find(event_);
  if (change == changes_.end()) return chosen;
  priority(threads_.of(name(chosen))) = change->second;
  return highest(count, name);
}

Duration PctChooser::duration(const harness::Window& window, Duration grid, const NameOf& name) {
  drew_else_ = true;
  const std::uint64_t most = window.options(grid) - 1;
  const std::uint64_t own = priority(threads_.of(name(0)));
  const std::uint64_t others = priorities_.size() - 1;
  if (!by_rank_ || others == 0) return window.option(grid, bits_.below(most + 1));
  const auto above = static_cast<std::uint64_t>(
      std::ranges::count_if(priorities_, [&](const auto& thread) { return thread.second > own; }));
  return window.option(grid, most / others * above + most % others * above / others);
}

}  // namespace lockproof::sim
