// SPDX-License-Identifier: Apache-2.0
// The part of Successors for faults that strike.
#include <utility>

#include "search/zones/successors.hpp"

namespace lockproof::zones {

bool Successors::can_strike(const Place& place, std::size_t entry) const {
  return place.faults() < bounds_.max_faults && place.struck[entry] < bounds_.budget[entry].most;
}

/// A client that only waits until it likes to ask loses nothing by a pause: it could as well have asked later.
void Successors::offer_strikes(const Place& place) {
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    if (!can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      const std::string& target = bounds_.budget[entry].forms[form].target;
      for (std::size_t client = 0; client < place.clients.size(); ++client) {
        const ClientAutomaton::State& state = state_of(place, client);
        const bool idles = state.wants && !state.due && !place.clients[client].is_paused;
        if (scenario_.clients[client].name != target || state.is_over || idles) continue;
        Place struck = place;
        event_ = {Event::Kind::strike, client, std::pair(entry, form)};
        if (strike(struck, client, entry, form)) finish(std::move(struck));
      }
    }
  }
}

/// Pauses of one client overlap: it goes on when the last one ends. False: another one outlasts this.
bool Successors::strike(Place& place, std::size_t client, std::size_t entry, std::size_t form) const {
  ++place.struck[entry];
  const harness::Fault& fault = bounds_.budget[entry].forms[form];
  ClientPlace& at = place.clients[client];
  const Row before = at.wakes;
  at.wakes = place.zone.add(now_row, fault.least.value_or(fault.lasts), fault.lasts);
  return !std::exchange(at.is_paused, true) || place.zone.require_not_after({before}, {at.wakes});
}

}  // namespace lockproof::zones
