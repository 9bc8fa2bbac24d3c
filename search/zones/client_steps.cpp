// SPDX-License-Identifier: Apache-2.0
// The part of Successors for what clients do.
#include <algorithm>
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
  if (state_of(place, client).act == HostAct::Kind::question) return order(std::move(place), client);
  if (!places_at(place, client)) return proceed(std::move(place), client);
  record_begun(place, client, step.events);
  move_in_or_out(std::move(place), client);
}

/// It goes on to what it does next.
void Successors::proceed(Place place, std::size_t client) {
  if (state_of(place, client).act == HostAct::Kind::none) return finish(std::move(place));
  strike_before(place, client);
  perform(std::move(place), client);
}

/// Both answers, each where it can be true.
void Successors::order(Place place, std::size_t client) {
  const ClientAutomaton::State& state = state_of(place, client);
  const auto of = [&](const NamedInstant& instant) {
    return instant.name == ClientAutomaton::begins ? TimePoint{now_row, instant.us}
                                                   : point(place.clients[client], instant);
  };
  const TimePoint one = of(state.one), other = of(state.other);
  const HostRate rate = rate_of(place, client);
  Place before = place;
  if (require_earlier(before.zone, rate, one, other)) {
    act(std::move(before), client, {.kind = HostInput::Kind::order, .is_before = true});
  }
  if (require_not_earlier(place.zone, rate, one, other)) {
    act(std::move(place), client, {.kind = HostInput::Kind::order, .is_before = false});
  }
}

/// A fault that holds up or ends the process may strike between what a client has just thought and what it does next.
void Successors::strike_before(const Place& place, std::size_t client) {
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    const bool is_of_process = bounds_.budget[entry].kind != harness::FaultKind::clock_jump;
    if (!is_of_process || !can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      if (scenario_.clients[client].name != bounds_.budget[entry].forms[form].target) continue;
      Place struck = place;
      struck.clients[client].is_held = true;
      add_passage(struck, {.kind = Passage::Kind::struck, .client = client, .state = place.clients[client].state});
      const Event whole = event_;
      event_.fault = Event::Fault(entry, form);
      if (strike_client(struck, client, *event_.fault)) finish(std::move(struck));
      event_ = whole;
    }
  }
}

void Successors::perform(Place place, std::size_t client) {
  if (state_of(place, client).act == HostAct::Kind::call) return send(std::move(place), client);
  const HostInput on = input(place, client, HostInput::Kind::go_on);
  act(std::move(place), client, on);
}

void Successors::end_call(Place place, std::size_t client, HostInput::Kind how, Id reply) {
  ClientPlace& at = place.clients[client];
  HostInput heard = input(place, client, how);
  heard.reply = reply;
  at.sent = at.resends = forgotten;
  at.resend = at.retry = 0;
  for (Message& message : at.messages) message.is_awaited = false;
  act(std::move(place), client, heard);
}

/// Whoever sends the command again has a call that goes on.
void Successors::time_out(Place place, std::size_t client) {
  const bool of_resource = state_of(place, client).of_resource;
  ClientPlace& at = place.clients[client];
  if (const std::uint32_t retry = std::exchange(at.retry, 0)) {
    event_.late = fault_with(retry);
    at.resend = 0;
    at.resends = at.sent = forgotten;
    if (!fault_of(*event_.late).same_connection) close(place, client, of_resource);
    return send_again(std::move(place), client);
  }
  if (scenario_.network.on_timeout == harness::OnTimeout::reconnect) return lose(std::move(place), client, of_resource);
  end_call(std::move(place), client, HostInput::Kind::lost);
}

/// The client opens another connection. What it has sent still arrives, but no answer to it.
void Successors::close(Place& place, std::size_t client, bool of_resource) const {
  const auto is_open = [&](const Message& message) {
    return message.of_resource == of_resource && message.connection == 0;
  };
  ClientPlace& at = place.clients[client];
  std::erase_if(at.messages, [&](const Message& message) { return is_open(message) && !message.is_request(); });
  if (!at.laid.empty() && state_of(place, client).of_resource == of_resource) drop_laid(at);
  std::uint8_t closed = 0;
  for (const Message& message : at.messages) closed = std::max(closed, message.connection);
  for (Message& message : at.messages) {
    if (!is_open(message)) continue;
    message.connection = static_cast<std::uint8_t>(closed + 1);
    message.draws_no_answer = message.loses_answer;
    message.is_awaited = message.loses_answer = false;
    message.late_answer = 0;
  }
  at.end(of_resource) = {};
}

/// Whether it has a call there.
bool Successors::waits_for(const Place& place, std::size_t client, bool of_resource) const {
  const ClientAutomaton::State& state = state_of(place, client);
  return state.act == HostAct::Kind::call && !place.clients[client].is_held && state.of_resource == of_resource;
}

/// A connection has ended, and the client learns of it.
void Successors::lose(Place place, std::size_t client, bool of_resource) {
  ClientPlace& at = place.clients[client];
  close(place, client, of_resource);
  if (!waits_for(place, client, of_resource)) return finish(std::move(place));
  if (!at.is_paused) return end_call(std::move(place), client, HostInput::Kind::lost);
  at.has_lost = true;
  at.sent = at.resends = forgotten;
  at.resend = at.retry = 0;
  finish(std::move(place));
}

void Successors::hear(Place place, std::size_t client, std::size_t index) {
  ClientPlace& at = place.clients[client];
  Message message = at.messages[index];
  at.messages.erase(at.messages.begin() + static_cast<std::ptrdiff_t>(index));
  if (!message.is_announced) add_passage(place, {.kind = Passage::Kind::arrived, .client = client, .message = message});
  if (message.kind == Message::Kind::news) return lose(std::move(place), client, message.of_resource);
  const bool is_known = message.kind == Message::Kind::refusal || std::exchange(message.is_announced, true);
  if (is_known || !places_at(place, client)) return take_in(std::move(place), client, message);
  harness::EventPlace event{.actor = scenario_.clients[client].name, .moment = harness::EventPlace::Moment::after};
  event.verb = payloads_.command(message.origin).verb();
  event.server = server_name(message.of_resource);
  event.round = state_of(place, client).round;
  happen(std::move(place), client, event, [&](Place then) {
    ClientPlace& hears = then.clients[client];
    if (hears.is_gone) return finish(std::move(then));
    if (!hears.is_paused) return take_in(std::move(then), client, message);
    message.arrives = then.zone.add(now_row, {}, {});
    hears.messages.insert(hears.messages.begin(), message);
    finish(std::move(then));
  });
}

void Successors::take_in(Place place, std::size_t client, const Message& message) {
  if (!message.is_awaited) return finish(std::move(place));
  const bool refused = message.kind == Message::Kind::refusal;
  end_call(std::move(place), client, refused ? HostInput::Kind::refused : HostInput::Kind::reply, message.payload);
}

/// It first does what it was about to do. What has arrived meanwhile is heard at once, and then its timers end that
/// have come.
void Successors::wake(Place place, std::size_t client) {
  ClientPlace& at = place.clients[client];
  at.is_paused = false;
  at.wakes = forgotten;
  if (at.stopped != forgotten) shift_clock(place, client);
  add_unseen(place, monitors_.holding_up(harness::What::heal, client, harness::FaultKind::pause));
  std::vector<Place> cases{std::move(place)};
  const std::size_t messages = cases.front().clients[client].messages.size();
  for (std::size_t i = 0; i < messages; ++i) {
    const Message message = cases.front().clients[client].messages[i];
    if (message.is_request() || message.waits != 0 || cases.front().is_cut(client, message)) continue;
    cases = split_at_now(std::move(cases), [=](Place& one) -> Row& { return one.clients[client].messages[i].arrives; });
  }
  cases = split_at_now(std::move(cases), [=](Place& one) -> Row& { return one.clients[client].resends; });
  cases = split_at_now(
      std::move(cases), [=](Place& one) -> Row& { return one.clients[client].sent; },
      rate_of(cases.front(), client).reach(scenario_.network.timeout.count()));
  for (Place& one : cases) go_on(std::move(one), client);
}

void Successors::go_on(Place place, std::size_t client) {
  ClientPlace& at = place.clients[client];
  if (std::exchange(at.is_early, false)) return approach(std::move(place), client);
  if (std::exchange(at.is_held, false)) return perform(std::move(place), client);
  if (std::exchange(at.has_lost, false)) return end_call(std::move(place), client, HostInput::Kind::lost);
  for (std::size_t i = 0; i < at.messages.size(); ++i) {
    const Message& message = at.messages[i];
    const bool is_here = !message.is_request() && message.waits == 0 && !place.is_cut(client, message) &&
                         place.zone.bound(message.arrives, now_row) <= 0;
    if (is_here && message.is_awaited && Place::is_next(at, i)) return hear(std::move(place), client, i);
  }
  const auto due = due_of(place, client);
  if (!due) return finish(std::move(place));
  const HostRate rate = rate_of(place, client);
  Place later = place;
  const TimePoint last{due->row, due->us + state_of(place, client).spread.count()};
  if (require_earlier(later.zone, rate, {}, last)) finish(std::move(later));
  if (!require_not_earlier(place.zone, rate, {}, *due)) return;
  at.is_overdue = true;
  finish(std::move(place));
}

}  // namespace lockproof::zones
