// SPDX-License-Identifier: Apache-2.0
// What follows from the table of faults.
#include <algorithm>

#include "harness/scenario/fault_table.hpp"

namespace lockproof::harness {

const FaultRow* row_named(std::string_view name) {
  const auto found = std::ranges::find(fault_table(), name, &FaultRow::name);
  return found == fault_table().end() ? nullptr : &*found;
}

bool stops_clock(std::string_view fault) {
  const FaultRow* const row = row_named(fault);
  return row && row->clocks == FaultRow::Clocks::monotonic;
}

bool ends_at(const EventPlace& until, const EventPlace& event) {
  return until.actor == event.actor && until.moment == event.moment && until.verb == event.verb &&
         (until.server.empty() || until.server == event.server) &&
         (until.state == EventPlace::LockState::any || until.state == event.state);
}

bool has_end(const Fault& fault) {
  const FaultRow::End ends = row_of(fault.kind).ends;
  return ends == FaultRow::End::always || (ends == FaultRow::End::if_it_lasts && fault.lasts != Duration{});
}

bool names_peer(const Fault& fault) { return row_of(fault.kind).names_peer && !fault.peer.empty(); }

}  // namespace lockproof::harness
