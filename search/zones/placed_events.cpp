// SPDX-License-Identifier: Apache-2.0
// The part of Successors for faults that the scenario places at an event: where each event happens, in the order in
// which a process of the simulator lets them happen, and what strikes there before it goes on.
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

using harness::EventPlace;
using harness::FaultKind;
using Action = harness::FaultRow::Action;

harness::Triggers Successors::triggers_of(const Place& place, std::size_t host) const {
  harness::Triggers triggers = triggers_[host];
  triggers.go_on_from(place.triggers[host]);
  return triggers;
}

bool Successors::awaits_anything(const Place& place, std::size_t host) const {
  return places_at(place, host) && triggers_of(place, host).await_anything();
}

/// What the client has noted says what it is about to begin.
void Successors::record_begun(Place& place, std::size_t client, Id events) {
  harness::Triggers triggers = triggers_of(place, client);
  for (const harness::Event& event : monitors_.events().at(events)) triggers.noted(event.what);
  place.triggers[client] = triggers.seen();
}

EventPlace Successors::event_of_server(const CommandInHand& command, EventPlace::Moment moment) const {
  EventPlace event{.actor = server_name(command.message.of_resource), .moment = moment};
  event.verb = payloads_.command(command.message.payload).verb();
  event.client = scenario_.clients[command.client].name;
  event.round = static_cast<int>(command.message.origin);
  return event;
}

/// The faults strike one after the other, and then comes what comes next, in each place to which they lead. A call that
/// loses its connection goes on at once, and is all that comes next. REQUIRES: see places_at.
void Successors::happen(Place place, std::size_t host, const EventPlace& event, const Then& then) {
  harness::Triggers triggers = triggers_of(place, host);
  const bool of_client = host < scenario_.clients.size();
  const std::vector<std::size_t> striking =
      triggers.happens(event.moment, event.verb, of_client ? event.actor : event.client, event.round, event.server);
  place.triggers[host] = triggers.seen();
  const Event whole = event_;
  std::vector<Place> cases{std::move(place)};
  bool has_ended = false;
  for (const std::size_t number : striking) {
    const harness::Fault& fault = fault_of(placed(number));
    const harness::FaultRow& row = harness::row_of(fault.kind);
    const bool strikes_now = fault.delay == Duration{};
    const bool breaks = row.action == Action::break_connection && of_client && strikes_now;
    if (has_ended && (breaks || row.of_message)) throw UnsuitedCode("two faults of one connection at one event");
    has_ended |= breaks;
    const bool acts_later = fault.kind == FaultKind::resend || fault.kind == FaultKind::retry;
    if (strikes_now && !acts_later && !is_void(cases.front(), fault)) event_.placed.push_back(placed(number));
    if (breaks && waits_for(cases.front(), host, fault.peer == resource_name)) {
      if (number != striking.back()) throw UnsuitedCode("a connection that breaks and another fault at one event");
      for (Place& one : cases) lose(std::move(one), host, fault.peer == resource_name);
      cases.clear();
      break;
    }
    std::vector<Place> struck;
    for (Place& one : cases) {
      for (Place& next : triggered(std::move(one), host, number)) struck.push_back(std::move(next));
    }
    cases = std::move(struck);
  }
  for (Place& one : cases) then(std::move(one));
  event_ = whole;
}

/// Where the fault strikes, or waits for its time.
std::vector<Place> Successors::triggered(Place place, std::size_t host, std::size_t number) {
  const Event::Fault form = placed(number);
  const harness::Fault& fault = fault_of(form);
  const harness::FaultRow& row = harness::row_of(fault.kind);
  const bool of_client = host < scenario_.clients.size();
  if (fault.delay != Duration{}) {
    place.to_strike[number] = place.zone.add(now_row, fault.delay, fault.delay);
  } else if (row.of_message) {
    lay_in_event(place, host, form);
  } else if (!is_void(place, fault)) {
    if (row.action != Action::break_connection || !of_client) return struck_as_placed(std::move(place), form);
    close(place, host, fault.peer == resource_name);
  }
  std::vector<Place> all;
  all.push_back(std::move(place));
  return all;
}

/// On the command that is about to leave; or, at the server, on its answer, and on those behind it if they are lost.
void Successors::lay_in_event(Place& place, std::size_t host, Event::Fault form) const {
  if (host < scenario_.clients.size()) return place.clients[host].laid.push_back(code(form));
  Message& message = place.in_hand->message;
  if (message.connection != 0) return;
  if (fault_of(form).kind == FaultKind::delay) {
    message.late_answer = code(form);
    return;
  }
  ClientPlace& at = place.clients[place.in_hand->client];
  at.end(message.of_resource).loses_replies = true;
  message.loses_answer = true;
  for (Message& behind : at.messages) {
    const bool is_open = behind.is_request() && behind.connection == 0;
    if (is_open && behind.of_resource == message.of_resource) behind.loses_answer = true;
  }
}

/// Its connection has ended. REQUIRES: it has not left.
void Successors::drop_laid(ClientPlace& client) const {
  std::erase_if(client.laid, [&](std::uint32_t fault) {
    const FaultKind kind = fault_of(fault_with(fault)).kind;
    return kind == FaultKind::half_open || kind == FaultKind::delay;
  });
  if (!client.laid.empty()) throw UnsuitedCode("a command that is sent again, whose connection ends before it leaves");
}

/// A command of it that is in hand is one of a connection that has ended.
void Successors::end_process_in_event(Place& place, std::size_t client, Event::Fault form) {
  const bool is_in_hand = place.in_hand && place.in_hand->client == client;
  if (is_in_hand) place.clients[client].messages.insert(place.clients[client].messages.begin(), place.in_hand->message);
  (void)strike_client(place, client, form);
  if (!is_in_hand) return;
  std::vector<Message>& messages = place.clients[client].messages;
  place.in_hand->message = messages.front();
  messages.erase(messages.begin());
}

/// It enters or exits, as its last event says.
void Successors::move_in_or_out(Place place, std::size_t client) {
  ClientPlace& at = place.clients[client];
  const ClientAutomaton::State& state = state_of(place, client);
  at.is_held = state.act != HostAct::Kind::none;
  if (std::exchange(at.was_inside, state.is_inside) == state.is_inside) return approach(std::move(place), client);
  EventPlace event{.actor = scenario_.clients[client].name,
                   .moment = state.is_inside ? EventPlace::Moment::enters : EventPlace::Moment::exits};
  event.round = state.round;
  happen(std::move(place), client, event, [&](Place then) { approach(std::move(then), client); });
}

/// It is about to do what its state says. Whoever is paused still comes to where it stands, but sends nothing.
void Successors::approach(Place place, std::size_t client) {
  ClientPlace& at = place.clients[client];
  const ClientAutomaton::State& state = state_of(place, client);
  if (at.is_gone || state.act == HostAct::Kind::none) return finish(std::move(place));
  const bool sends = state.act == HostAct::Kind::call;
  at.is_held = true;
  at.is_early = sends && at.is_paused;
  if (at.is_early) return finish(std::move(place));
  EventPlace event{.actor = scenario_.clients[client].name, .moment = EventPlace::Moment::before};
  event.verb = sends ? std::string(payloads_.command(state.command).verb()) : std::string(harness::name(state.before));
  if (sends) event.server = server_name(state.of_resource);
  event.round = state.round;
  happen(std::move(place), client, event, [&](Place then) {
    ClientPlace& goes = then.clients[client];
    if (goes.is_gone || goes.is_paused) return finish(std::move(then));
    goes.is_held = false;
    proceed(std::move(then), client);
  });
}

}  // namespace lockproof::zones
