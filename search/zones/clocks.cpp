// SPDX-License-Identifier: Apache-2.0
// The part of Successors for clocks: a host's durations in world time, and faults that change what its clocks show.
#include <algorithm>
#include <map>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {
namespace {

/// Each row that is not forgotten becomes one that lies so much later.
void shift(Zone& zone, const std::vector<Row*>& rows, Duration least, Duration most) {
  std::map<Row, Row> shifted;
  for (Row* const row : rows) {
    if (*row == forgotten) continue;
    const auto [known, is_new] = shifted.try_emplace(*row);
    if (is_new) known->second = zone.add(*row, least, most);
    *row = known->second;
  }
}

}  // namespace

std::int64_t Successors::rate_ppb(const Place& place, std::size_t host) const {
  const std::uint32_t fault = place.rates[host];
  return fault == 0 ? 0 : fault_of(fault_with(fault)).rate_ppb;
}

bool Successors::require_earlier(Zone& zone, const HostRate& rate, const TimePoint& one, const TimePoint& other) {
  return zone.require_not_after({one.row, rate.reach(one.us - other.us + 1).earliest}, {other.row});
}

bool Successors::require_not_earlier(Zone& zone, const HostRate& rate, const TimePoint& one, const TimePoint& other) {
  return zone.require_not_after({other.row}, {one.row, rate.reach(one.us - other.us + 1).latest - 1});
}

/// It ends at this instant, or up to `spread` later.
bool Successors::require_timer(Place& place, std::size_t client, const TimePoint& timer, Duration spread) const {
  const HostRate rate = rate_of(place, client);
  return place.zone.require_not_after({timer.row, rate.reach(timer.us).earliest}, {}) &&
         place.zone.require_not_after({}, {timer.row, rate.reach(timer.us + spread.count()).latest});
}

Row Successors::add_reached(Place& place, const HostRate& rate, Duration least, Duration most, Row after) {
  return place.zone.add(after, Duration(rate.reach(least.count()).earliest), Duration(rate.reach(most.count()).latest));
}

/// Each way to choose rates for the whole run, in the order of the budget.
void Successors::choose_rates(Place place, std::size_t first) {
  for (std::size_t entry = first; entry < bounds_.budget.size(); ++entry) {
    if (bounds_.budget[entry].kind != harness::FaultKind::clock_rate || !can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      const std::uint32_t number = code({entry, form});
      std::uint32_t& of_host = place.rates[host_named(fault_of({entry, form}).target)];
      if (of_host != 0 && fault_with(of_host).first < bounds_.budget.size()) continue;  // the last one counts
      Place struck = place;
      count(struck, {entry, form});
      struck.rates[host_named(fault_of({entry, form}).target)] = number;
      event_.marks.emplace_back(entry, form);
      choose_rates(std::move(struck), entry);
      event_.marks.pop_back();
    }
  }
  finish(std::move(place));
}

/// Its leases are over so much sooner, unless its monotonic clock counts them.
void Successors::jump_clock_of_server(Place& place, Event::Fault form) const {
  count(place, form);
  if (counts_ticks_) return;
  const harness::Fault& fault = fault_of(form);
  const HostRate rate = rate_of(place, scenario_.clients.size());
  std::vector<Row*> rows;
  for (Row& row : place.leases) rows.push_back(&row);
  const std::int64_t latest = rate.reach(fault.by.count()).latest;
  const std::int64_t earliest = rate.reach(fault.least.value_or(fault.by).count()).earliest;
  shift(place.zone, rows, Duration(-latest), Duration(-earliest));
  if (!place.kept.empty() && fault.least) place.kept.insert(place.kept.end(), place.leases.begin(), place.leases.end());
}

/// Its seconds are counted on so much later, and all that nobody looks at meanwhile can be put off at once.
void Successors::stop_clock_of_server(Place& place, Event::Fault form) const {
  if (!counts_ticks_ || fault_of(form).kind != harness::FaultKind::suspend) return;
  std::vector<Row*> rows{&place.server_stood};
  for (Row& row : place.leases) rows.push_back(&row);
  shift(place.zone, rows, fault_of(form).lasts, fault_of(form).lasts);
}

void Successors::stop_clock(Place& place, std::size_t client, Event::Fault form) const {
  place.clients[client].stopped = place.zone.add(now_row, {}, {});
  place.clients[client].suspension = code(form);
}

/// The suspension is over: whatever was read from the monotonic clock before, it has so much longer to go.
void Successors::shift_clock(Place& place, std::size_t client) const {
  ClientPlace& at = place.clients[client];
  const Duration stood = fault_of(fault_with(std::exchange(at.suspension, 0))).lasts;
  const std::vector<ReadClock>& clocks = state_of(place, client).names;
  std::vector<Row*> rows{&at.sent, &at.resends};
  for (std::size_t i = 0; i < at.names.size(); ++i) {
    if (clocks[i] == ReadClock::mono) rows.push_back(&at.names[i]);
  }
  shift(place.zone, rows, stood, stood);
  at.stopped = forgotten;
}

/// What a client's clock may show: as of an instant, and so much before it if its suspension is over and it is paused.
std::vector<std::pair<Place, TimePoint>> Successors::clock_now(const Place& place, std::size_t client,
                                                               ReadClock clock) const {
  const ClientPlace& at = place.clients[client];
  if (at.stopped == forgotten || clock != ReadClock::mono) return {{place, {}}};
  const std::int64_t stood = fault_of(fault_with(at.suspension)).lasts.count();
  std::vector<std::pair<Place, TimePoint>> all;
  Place stands = place, runs = place;
  if (stands.zone.require_not_after({}, {at.stopped, stood}))
    all.emplace_back(std::move(stands), TimePoint{at.stopped});
  if (runs.zone.require_before({at.stopped, stood}, {})) all.emplace_back(std::move(runs), TimePoint{now_row, -stood});
  return all;
}

}  // namespace lockproof::zones
