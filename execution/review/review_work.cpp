// SPDX-License-Identifier: Apache-2.0
// How much a Reviewer searches in each stage.
#include <algorithm>
#include <map>

#include "execution/review/reviewer.hpp"

namespace lockproof::execution {

/// Shares of the limit of one search, the same on any machine.
std::uint64_t Reviewer::work_of(Stage stage) const {
  const std::uint64_t one = order_.limits.work, locks = std::max<std::size_t>(1, subjects_.size());
  const auto share = [&](std::uint64_t most, std::uint64_t least) { return std::max(one * most / locks, one / least); };
  switch (stage) {
    case Stage::first_look: return std::min(one, search::few_states);
    case Stage::page: return share(1, 2);
    case Stage::period: return share(1, 4);
    case Stage::deepening: return one / 5;
    case Stage::boundary: return one / 8;
    case Stage::remedies: return one / 5;
  }
  return one;
}

/// What is open of one lock shares its work evenly, whatever the order.
void Reviewer::share_work(const std::vector<FaultSearch*>& parts) const {
  std::map<std::size_t, std::uint64_t> open;
  for (const FaultSearch* part : parts) ++open[part->subject];
  for (FaultSearch* part : parts) {
    const std::uint64_t few = work_of(Stage::first_look);
    part->most = part->skipped ? few : std::max(few, work_of(Stage::page) / open[part->subject]);
  }
}

}  // namespace lockproof::execution
