// SPDX-License-Identifier: Apache-2.0
// The part of Successors for what clients do.
#include <utility>

#include "search/zones/successors.hpp"

namespace lockproof::zones {

void Successors::act(Place place, std::size_t client, const HostInput& input) {
  const ClientAutomaton::Step& step = automata_[client]->step(place.clients[client].state, input);
  take(std::move(place), client, step);
}

void Successors::take(Place place, std::size_t client, const ClientAutomaton::Step& step) {
  ClientPlace& at = place.clients[client];
  std::vector<Row> names;
  Row begun = forgotten;
  for (const int name : step.names) {
    if (name == ClientAutomaton::begins && begun == forgotten) begun = place.zone.add(now_row, {}, {});
    names.push_back(name == ClientAutomaton::begins ? begun : at.names[static_cast<std::size_t>(name)]);
  }
  at.state = step.state;
  at.names = std::move(names);
  record(place, client, step);
  switch (state_of(place, client).act) {
    case HostAct::Kind::question: return order(std::move(place), client);
    case HostAct::Kind::none: return finish(std::move(place));
    case HostAct::Kind::call:
    case HostAct::Kind::stands: break;
  }
  strike_before(place, client);
  perform(std::move(place), client);
}

/// Both answers, each where it can be true.
void Successors::order(Place place, std::size_t client) {
  const ClientAutomaton::State& state = state_of(place, client);
  const auto of = [&](const Named& instant) {
    return instant.name == ClientAutomaton::begins ? TimePoint{now_row, instant.us}
                                                   : point(place.clients[client], instant);
  };
  const TimePoint one = of(state.one), other = of(state.other);
  Place before = place;
  if (before.zone.require_before(one, other)) {
    act(std::move(before), client, {.kind = HostInput::Kind::order, .is_before = true});
  }
  if (place.zone.require_not_after(other, one)) {
    act(std::move(place), client, {.kind = HostInput::Kind::order, .is_before = false});
  }
}

/// A fault may strike between what a client has just thought and what it does next.
void Successors::strike_before(const Place& place, std::size_t client) {
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    if (!can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      if (scenario_.clients[client].name != bounds_.budget[entry].forms[form].target) continue;
      Place struck = place;
      struck.clients[client].is_held = true;
      const Event whole = event_;
      event_.fault = std::pair(entry, form);
      if (strike(struck, client, entry, form)) finish(std::move(struck));
      event_ = whole;
    }
  }
}

void Successors::perform(Place place, std::size_t client) {
  if (state_of(place, client).act == HostAct::Kind::call) return send(std::move(place), client);
  const HostInput on = input(place, client, HostInput::Kind::go_on);
  act(std::move(place), client, on);
}

void Successors::send(Place place, std::size_t client) {
  const ClientAutomaton::State& state = state_of(place, client);
  ClientPlace& at = place.clients[client];
  at.message = ClientPlace::Message::request;
  at.payload = state.command;
  at.of_resource = state.of_resource;
  at.arrives = place.zone.add(now_row, scenario_.network.latency.least, scenario_.network.latency.most);
  finish(std::move(place));
}

/// It first does what it was about to do. A reply that has arrived meanwhile is heard at once; a step whose time has
/// come is taken before time passes.
void Successors::wake(Place place, std::size_t client) {
  ClientPlace& at = place.clients[client];
  at.is_paused = false;
  at.wakes = forgotten;
  if (std::exchange(at.is_held, false)) return perform(std::move(place), client);
  if (at.message == ClientPlace::Message::reply) {
    Place later = place;
    if (later.zone.require_not_after({}, {at.arrives})) finish(std::move(later));
    if (!place.zone.require_not_after({at.arrives}, {})) return;
    HostInput heard = input(place, client, HostInput::Kind::reply);
    heard.reply = at.payload;
    at.message = ClientPlace::Message::none;
    return act(std::move(place), client, heard);
  }
  const auto due = due_of(place, client);
  if (!due) return finish(std::move(place));
  Place later = place;
  if (later.zone.require_before({}, *due)) finish(std::move(later));
  if (!place.zone.require_not_after(*due, {})) return;
  at.is_overdue = true;
  finish(std::move(place));
}

}  // namespace lockproof::zones
