// SPDX-License-Identifier: Apache-2.0
#include "search/zones/successors.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/scenario/services.hpp"
#include "sim/world/state_encoder.hpp"

namespace lockproof::zones {

Successors::Successors(const harness::Scenario& scenario, const harness::Bounds& bounds)
    : scenario_(scenario), bounds_(bounds), monitors_(scenario), resource_(scenario.fencing, payloads_),
      server_(sim::make_symbolic_server(scenario)), counts_ticks_(harness::row_of(scenario.algorithm->service).ticks),
      is_one_queue_(server_->queues() == sim::ServiceModel::Queues::one) {
  for (std::size_t client = 0; client < scenario.clients.size(); ++client) {
    automata_.push_back(std::make_unique<ClientAutomaton>(scenario, client, payloads_, monitors_.events()));
  }
  may_be_suspended_.assign(scenario.clients.size() + scenario.servers.size(), false);
  const auto count_suspension = [&](const harness::Fault& fault) {
    const auto client = client_named(fault.target);
    if (fault.kind != harness::FaultKind::suspend || (!client && !counts_ticks_)) return;
    may_be_suspended_[client.value_or(scenario.clients.size())] = true;
  };
  std::ranges::for_each(scenario.faults, count_suspension);
  for (const harness::BudgetedFault& entry : bounds.budget) std::ranges::for_each(entry.forms, count_suspension);
  if (std::ranges::none_of(scenario.faults, [](const harness::Fault& fault) { return fault.when.has_value(); })) return;
  for (const harness::Host& host : sim::MonitorStates::hosts_of(scenario)) triggers_.emplace_back(scenario, host.name);
}

std::uint64_t Successors::runs() const {
  std::uint64_t runs = 0;
  for (const auto& automaton : automata_) runs += automaton->runs();
  return runs;
}

TimePoint Successors::point(const ClientPlace& client, const NamedInstant& instant) {
  const Row row = client.names[static_cast<std::size_t>(instant.name)];
  if (row == forgotten) throw std::logic_error("an instant was forgotten that somebody needs");
  return {row, instant.us};
}

/// When the worker goes on, if nothing holds it up.
std::optional<TimePoint> Successors::due_of(const Place& place, std::size_t client) const {
  const ClientPlace& at = place.clients[client];
  const auto& due = state_of(place, client).due;
  if (!due || at.is_overdue) return std::nullopt;
  return point(at, *due);
}

/// Of the client's own tokens those that somebody knows or that are under way.
std::uint8_t Successors::tokens_in_use(const Place& place, std::size_t client) const {
  std::uint64_t tokens = server_->tokens(place.server);
  for (std::size_t i = 0; i < place.clients.size(); ++i) {
    const ClientPlace& at = place.clients[i];
    tokens |= state_of(place, i).tokens;
    for (const Message& message : at.messages) {
      if (message.is_request()) tokens |= payloads_.tokens_of_command(message.payload);
      if (message.kind == Message::Kind::reply) tokens |= payloads_.tokens_of_reply(message.payload);
    }
  }
  return static_cast<std::uint8_t>(tokens >> (client * sim::token_names));
}

HostInput Successors::input(const Place& place, std::size_t client, HostInput::Kind kind) const {
  return {.kind = kind, .tokens = tokens_in_use(place, client)};
}

void Successors::begin(Sink& sink, bool kept) {
  sink_ = &sink;
  event_ = {};
  Place place;
  place.struck.assign(bounds_.budget.size(), 0);
  place.clients.resize(scenario_.clients.size());
  place.server = server_->initial();
  place.monitors = monitors_.initial();
  place.timed_monitors.resize(monitors_.timed_count());
  const Row started = place.zone.add(now_row, {}, {});
  if (kept) place.kept.push_back(started);
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const ClientAutomaton::Step& step = automata_[client]->begin();
    place.clients[client].state = step.state;
    // It begins at any instant of its window; what it does is counted from there.
    const harness::Plan& plan = scenario_.clients[client].plan;
    const bool varies = plan.asking == harness::AskPolicy::polls && plan.start_latest;
    const Row begun = varies ? place.zone.add(started, {}, *plan.start_latest - plan.start) : started;
    place.clients[client].names.assign(step.names.size(), begun);
  }
  for (const harness::Triggers& triggers : triggers_) place.triggers.push_back(triggers.seen());
  place.rates.assign(place.clients.size() + scenario_.servers.size(), 0);
  for (std::size_t number = 0; number < scenario_.faults.size(); ++number) place_fault(place, number);
  choose_rates(place, 0);
}

void Successors::expand(const Place& place, Sink& sink) {
  sink_ = &sink;
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    if (!place.clients[client].is_paused) offer_steps(place, client);
    offer_messages(place, client);
    if (!place.clients[client].is_paused) offer_timers(place, client);
    if (!place.clients[client].is_paused) continue;
    Place woken = place;
    if (!woken.zone.require_same({}, {woken.clients[client].wakes})) continue;
    event_ = {Event::Kind::wake, client};
    wake(std::move(woken), client);
  }
  offer_heals(place);
  Place up = place;
  if (place.server_is_down && up.zone.require_same({}, {place.server_is_up})) {
    event_ = {Event::Kind::wake, place.clients.size() + 1};
    up.server_is_down = false;
    up.server_is_up = forgotten;
    add_unseen(up, monitors_.holding_up(harness::What::heal, {}, harness::FaultKind::restart));
    finish(std::move(up));
  }
  Place resumed = place;
  if (place.server_is_paused && resumed.zone.require_same({}, {place.server_wakes})) {
    event_ = {Event::Kind::wake, place.clients.size()};
    wake_server(std::move(resumed));
  }
  offer_serves(place);
  offer_strikes(place);
  for (std::size_t i = 0; i < place.to_strike.size(); ++i) {
    Place then = place;
    if (place.to_strike[i] != forgotten && then.zone.require_same({}, {place.to_strike[i]}))
      strike_as_placed(std::move(then), i);
  }
}

void Successors::offer_steps(const Place& place, std::size_t client) {
  if (state_of(place, client).wants) {
    event_ = {Event::Kind::ask, client};
    act(place, client, input(place, client, HostInput::Kind::ask));
    if (place.clients[client].server.is_reset && !place.clients[client].has_sent) ask_anew(place, client);
  }
  Place then = place;
  ClientPlace& at = then.clients[client];
  const auto due = due_of(place, client);
  if (!at.is_overdue && !(due && require_timer(then, client, *due, state_of(place, client).spread))) return;
  at.is_overdue = false;
  event_ = {Event::Kind::step, client};
  act(std::move(then), client, input(place, client, HostInput::Kind::step));
}

/// As if it connected only now: the end of its connection has not been one.
void Successors::ask_anew(Place place, std::size_t client) {
  ClientPlace& at = place.clients[client];
  at.server = {};
  std::erase_if(at.messages, [](const Message& message) { return message.kind == Message::Kind::news; });
  act(std::move(place), client, input(place, client, HostInput::Kind::ask));
}

void Successors::offer_messages(const Place& place, std::size_t client) {
  const ClientPlace& at = place.clients[client];
  for (std::size_t i = 0; i < at.messages.size(); ++i) {
    const Message& message = at.messages[i];
    if (!comes(place, client, message) || !Place::is_next(at, i)) continue;
    Place then = place;
    if (!then.zone.require_same({}, {message.arrives})) continue;
    event_ = {message.is_request() ? Event::Kind::request : Event::Kind::reply, client};
    message.is_request() ? arrive_at_server(std::move(then), client, i) : hear(std::move(then), client, i);
  }
}

/// Whether the message arrives when its time has come.
bool Successors::comes(const Place& place, std::size_t client, const Message& message) {
  return message.waits == 0 && !place.is_cut(client, message) &&
         (message.is_request() || !place.clients[client].is_paused);
}

void Successors::offer_timers(const Place& place, std::size_t client) {
  const ClientPlace& at = place.clients[client];
  Place late = place;
  if (at.sent != forgotten && require_timer(late, client, time_out_of(at))) {
    event_ = {Event::Kind::time_out, client};
    time_out(std::move(late), client);
  }
  Place again = place;
  if (at.resends == forgotten || !again.zone.require_same({}, {at.resends})) return;
  event_ = {.kind = Event::Kind::resend, .client = client, .late = fault_with(at.resend)};
  again.clients[client].resends = forgotten;
  again.clients[client].resend = 0;
  send_again(std::move(again), client);
}

/// What happens at this instant is over, but for what a server has kept waiting.
void Successors::finish(Place place) {
  const auto waiting = is_one_queue_ && !place.server_is_paused ? place.first_waiting() : std::nullopt;
  if (waiting) return serve(std::move(place), waiting->first, waiting->second);
  judge_in_time(std::move(place), {}, {});
}

/// Lets time pass, as far as nothing is due before.
void Successors::settle(Place place) {
  if (!place.kept.empty()) place.kept.push_back(place.zone.add(now_row, {}, {}));
  for (std::size_t client = 0; client < place.clients.size(); ++client) forget(place, client);
  forget_past(place);
  std::string bytes = place.make_canonical();
  Zone& zone = place.zone;
  if (!place.is_urgent()) zone.delay();
  const auto is_now_or_later = [&](const TimePoint& instant) { return zone.require_not_after({}, instant); };
  if (place.server_is_down && !is_now_or_later({place.server_is_up})) return;
  if (place.server_is_paused && !is_now_or_later({place.server_wakes})) return;
  for (const Cut& cut : place.cuts) {
    if (!is_now_or_later({cut.until})) return;
  }
  for (const Row instant : place.to_strike) {
    if (instant != forgotten && !is_now_or_later({instant})) return;
  }
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const ClientPlace& at = place.clients[client];
    for (const Message& message : at.messages) {
      if (comes(place, client, message) && !is_now_or_later({message.arrives})) return;
    }
    if (at.is_paused) {
      if (!is_now_or_later({at.wakes})) return;
      continue;
    }
    const auto runs_on = [&](const TimePoint& timer) {
      return is_now_or_later({timer.row, rate_of(place, client).reach(timer.us).latest});
    };
    if (at.sent != forgotten && !runs_on(time_out_of(at))) return;
    if (at.resends != forgotten && !is_now_or_later({at.resends})) return;
    const auto due = due_of(place, client);
    if (due && !runs_on({due->row, due->us + state_of(place, client).spread.count()})) return;
  }
  sink_->reach(std::move(place), std::move(bytes), event_);
}

/// What does not matter any more for this client.
void Successors::forget(Place& place, std::size_t client) const {
  const ClientAutomaton::State& state = state_of(place, client);
  ClientPlace& at = place.clients[client];
  if (at.is_overdue && state.due_is_alone) at.names[static_cast<std::size_t>(state.due->name)] = forgotten;
  if (at.sent != forgotten && !can_be_late(place, client)) at.sent = forgotten;
  if (!state.is_over || at.is_paused || awaits_anything(place, client)) return;
  at.names.clear();
  at.server = at.resource = {};
  std::erase_if(at.messages, [](const Message& message) { return !message.is_request(); });
}

}  // namespace lockproof::zones
