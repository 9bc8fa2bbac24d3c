// SPDX-License-Identifier: Apache-2.0
// The part of Successors for faults that the scenario places itself, at an instant.
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

using Action = harness::FaultRow::Action;

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
    place.to_strike.push_back(fault.at ? place.zone.add(now_row, *fault.at, *fault.at) : forgotten);
  }
}

/// Its instant has come.
void Successors::strike_as_placed(Place place, std::size_t number) {
  const Event::Fault form = placed(number);
  const harness::Fault& fault = fault_of(form);
  const auto client = client_named(fault.target);
  event_ = {.kind = Event::Kind::strike, .client = client.value_or(0), .fault = form};
  count(place, form);
  if (is_void(place, fault)) {
    event_.fault.reset();
    return finish(std::move(place));
  }
  const bool breaks = harness::row_of(fault.kind).action == Action::break_connection;
  const bool at_server = fault.when && fault.when->actor == fault.peer;
  if (breaks && !at_server) return lose(std::move(place), *client, fault.peer == resource_name);
  for (Place& struck : struck_as_placed(std::move(place), form)) finish(std::move(struck));
}

/// It finds nothing to strike, and does nothing.
bool Successors::is_void(const Place& place, const harness::Fault& fault) const {
  const Action action = harness::row_of(fault.kind).action;
  if (action == Action::cut_off) return lines_of(fault) == 0;
  if (const auto client = client_named(fault.target)) return state_of(place, *client).is_over;
  return place.server_is_down && action != Action::jump_clock;
}

/// The places in which it has, one for each case of its end. REQUIRES: it is not void, lies on no message, and ends no
/// connection at the client.
std::vector<Place> Successors::struck_as_placed(Place place, Event::Fault form) {
  const harness::Fault& fault = fault_of(form);
  const auto client = client_named(fault.target);
  std::vector<Place> all;
  count(place, form);
  switch (harness::row_of(fault.kind).action) {
    case Action::cut_off: {
      const bool is_everybody = fault.peer.empty() || fault.peer == harness::all_hosts;
      add_cut(place, form, is_everybody ? std::nullopt : std::optional(peer_named(fault.peer)), lines_of(fault));
      break;
    }
    case Action::break_connection: {
      const bool is_open = !place.clients[*client].is_gone && state_of(place, *client).round > 0;
      if (is_open) return end_at_server(std::move(place), *client, fault.peer == resource_name);
      break;
    }
    case Action::change_store: change_store(place, form); break;
    case Action::take_down: return take_down(std::move(place), form);
    case Action::stand_still: {
      if (client) {
        if (auto longer = outlasted(place, *client, form)) all.push_back(*std::move(longer));
      } else if (auto longer = outlasted_at_server(place, form)) {
        all.push_back(*std::move(longer));
      }
      if (!(client ? strike_client(place, *client, form) : strike_server(place, form))) return all;
      break;
    }
    default:
      if (client) {
        end_process_in_event(place, *client, form);
      } else {
        (void)strike_server(place, form);
      }
  }
  all.push_back(std::move(place));
  return all;
}

/// Between a host and its peer, or all others.
std::uint32_t Successors::lines_of(const harness::Fault& fault) const {
  using Direction = harness::Fault::Direction;
  const auto target = client_named(fault.target);
  std::uint32_t all = 0;
  for (std::size_t client = 0; client < scenario_.clients.size(); ++client) {
    for (const bool of_resource : {false, true}) {
      const std::string other = server_name(of_resource);
      const bool is_from_client = target == client;
      if (!is_from_client && fault.target != other) continue;
      const std::string peer = is_from_client ? other : scenario_.clients[client].name;
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
