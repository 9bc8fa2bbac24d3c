// SPDX-License-Identifier: Apache-2.0
// The part of Successors for faults that the scenario places itself, at an instant.
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

using Action = harness::FaultRow::Action;

namespace {

const std::string resource_name = "resource";

}  // namespace

Event::Fault Successors::placed(std::size_t number) const { return {bounds_.budget.size() + number, 0}; }

std::size_t Successors::host_named(const std::string& name) const {
  return client_named(name).value_or(scenario_.clients.size());
}

std::size_t Successors::peer_named(const std::string& name) const {
  return host_named(name) + (name == resource_name ? 1 : 0);
}

void Successors::count(Place& place, Event::Fault form) const {
  if (form.first < bounds_.budget.size()) {
    ++place.struck[form.first];
  } else {
    place.to_strike[form.first - bounds_.budget.size()] = forgotten;
  }
}

/// A rate holds for the whole run.
void Successors::place_fault(Place& place, std::size_t number) {
  const harness::Fault& fault = fault_of(placed(number));
  if (harness::row_of(fault.kind).action == Action::set_rate) {
    place.rates[host_named(fault.target)] = code(placed(number));
    place.to_strike.push_back(forgotten);
    event_.marks.push_back(placed(number));
  } else {
    place.to_strike.push_back(place.zone.add(now_row, *fault.at, *fault.at));
  }
}

/// Its instant has come. One that finds nothing to strike does nothing.
void Successors::strike_as_placed(Place place, std::size_t number) {
  const Event::Fault form = placed(number);
  const harness::Fault& fault = fault_of(form);
  const Action action = harness::row_of(fault.kind).action;
  const auto client = client_named(fault.target);
  event_ = {.kind = Event::Kind::strike, .client = client.value_or(0), .fault = form};
  count(place, form);
  if (action == Action::cut_off) {
    const bool is_everybody = fault.peer.empty() || fault.peer == harness::all_hosts;
    const auto peer = is_everybody ? std::nullopt : std::optional(peer_named(fault.peer));
    if (const std::uint32_t lines = lines_of(fault); lines != 0) add_cut(place, form, peer, lines);
    return finish(std::move(place));
  }
  const bool is_void = client ? state_of(place, *client).is_over : place.server_is_down && action != Action::jump_clock;
  if (is_void) event_.fault.reset();
  if (is_void) return finish(std::move(place));
  if (action == Action::break_connection) return lose(std::move(place), *client, fault.peer == "resource");
  if (action == Action::change_store) return change_store(std::move(place), form);
  if (action == Action::take_down) {
    for (Place& struck : take_down(std::move(place), form)) finish(std::move(struck));
    return;
  }
  if (action == Action::stand_still) {
    if (client) offer_outlasted(place, *client, form);
    Place outlasted = place;
    const TimePoint end{now_row, fault.lasts.count()};
    const bool of_server = !client && place.server_is_paused;
    if (of_server && outlasted.zone.require_before(end, {place.server_wakes})) finish(std::move(outlasted));
  }
  if (client ? strike_client(place, *client, form) : strike_server(place, form)) finish(std::move(place));
}

/// Between a host and its peer, or all others.
std::uint32_t Successors::lines_of(const harness::Fault& fault) const {
  using Direction = harness::Fault::Direction;
  const auto target = client_named(fault.target);
  std::uint32_t all = 0;
  for (std::size_t client = 0; client < scenario_.clients.size(); ++client) {
    for (const bool of_resource : {false, true}) {
      const std::string& other = of_resource ? resource_name : scenario_.servers.front().name;
      const bool is_from_client = target == client;
      if (!is_from_client && fault.target != other) continue;
      const std::string& peer = is_from_client ? other : scenario_.clients[client].name;
      if (!fault.peer.empty() && fault.peer != harness::all_hosts && fault.peer != peer) continue;
      for (const bool is_request : {false, true}) {
        const Direction cut = is_request == is_from_client ? Direction::to_peer : Direction::from_peer;
        if (fault.direction == Direction::both || fault.direction == cut)
          all |= line_bit(client, of_resource, is_request);
      }
    }
  }
  return all;
}

}  // namespace lockproof::zones
