// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/expansions.hpp"

namespace lockproof::sim {

void Expansions::clear(int depth, const ViolationPlaces& finds) {
  depth_ = depth;
  finds_ = &finds;
  shards_.clear();
  notes_.clear();
  noted_.clear();
}

void Expansions::begin(std::uint32_t state, Id budget) {
  expanding_ = state;
  budget_ = budget;
  now_ = {.from = static_cast<std::uint32_t>(shards_.size()), .first_note = static_cast<std::uint32_t>(notes_.size())};
}

const ExpandedState& Expansions::end() {
  now_.to = static_cast<std::uint32_t>(shards_.size());
  now_.last_note = static_cast<std::uint32_t>(notes_.size());
  return now_;
}

void Expansions::drop() {
  shards_.resize(now_.from);
  notes_.resize(now_.first_note);
  noted_.clear();
}

void Expansions::see(const Successors::Successor& next) {
  now_.acquired |= next.entered;
  now_.contended |= next.contended;
  const Id budget = product_.budget_of(next.tuple);
  for (const auto& [property, kind] : next.broken) note({property, kind}, budget, false);
  if (!next.exclusion.empty()) note({"mutual-exclusion", next.exclusion}, budget, false);
  add(next.tuple);
}

void Expansions::ended(const MonitorStates::Violations& broken, EndReason why) {
  now_.why = why;
  for (const auto& [property, kind] : broken) note({property, kind}, budget_, true);
}

void Expansions::note(ViolationKeyLess::View find, Id budget, bool at_end) {
  const std::pair<int, int> place{product_.faults_of(budget), depth_};
  if (by_faults_) find.budget = budget;
  const auto known = finds_->find(find);
  if (known != finds_->end() && std::pair(known->second.faults, known->second.depth) <= place) return;
  const auto before = noted_.find(find);
  if (before != noted_.end() && before->second <= place) return;
  ViolationRecord note{{{std::string(find.property), std::string(find.kind)}, find.budget},
                       {expanding_, at_end, place.first, depth_}};
  noted_.insert_or_assign(note.find, place);
  notes_.push_back(std::move(note));
}

}  // namespace lockproof::sim
