// SPDX-License-Identifier: Apache-2.0
#include "search/zones/successors.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/world/state_encoder.hpp"

namespace lockproof::zones {

Successors::Successors(const harness::Scenario& scenario, const harness::Bounds& bounds)
    : scenario_(scenario), bounds_(bounds), monitors_(scenario), resource_(scenario.fencing, payloads_),
      server_(sim::make_symbolic_server(scenario)) {
  for (std::size_t client = 0; client < scenario.clients.size(); ++client) {
    automata_.push_back(std::make_unique<ClientAutomaton>(scenario, client, payloads_, monitors_.events()));
  }
}

std::uint64_t Successors::runs() const {
  std::uint64_t runs = 0;
  for (const auto& automaton : automata_) runs += automaton->runs();
  return runs;
}

TimePoint Successors::point(const ClientPlace& client, const Named& instant) {
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
    if (at.message == ClientPlace::Message::request) tokens |= payloads_.tokens_of_command(at.payload);
    if (at.message == ClientPlace::Message::reply) tokens |= payloads_.tokens_of_reply(at.payload);
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
  const Row started = place.zone.add(now_row, {}, {});
  if (kept) place.kept.push_back(started);
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const ClientAutomaton::Step& step = automata_[client]->begin();
    place.clients[client].state = step.state;
    place.clients[client].names.assign(step.names.size(), started);
  }
  finish(std::move(place));
}

void Successors::expand(const Place& place, Sink& sink) {
  sink_ = &sink;
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    if (!place.clients[client].is_paused) offer_steps(place, client);
    offer_messages(place, client);
    if (!place.clients[client].is_paused) continue;
    Place woken = place;
    if (!woken.zone.require_same({}, {woken.clients[client].wakes})) continue;
    event_ = {Event::Kind::wake, client};
    wake(std::move(woken), client);
  }
  offer_strikes(place);
}

void Successors::offer_steps(const Place& place, std::size_t client) {
  if (state_of(place, client).wants) {
    event_ = {Event::Kind::ask, client};
    act(place, client, input(place, client, HostInput::Kind::ask));
  }
  Place then = place;
  ClientPlace& at = then.clients[client];
  const auto due = due_of(place, client);
  if (!at.is_overdue && !(due && then.zone.require_same({}, *due))) return;
  at.is_overdue = false;
  event_ = {Event::Kind::step, client};
  act(std::move(then), client, input(place, client, HostInput::Kind::step));
}

void Successors::offer_messages(const Place& place, std::size_t client) {
  const ClientPlace& at = place.clients[client];
  if (at.message == ClientPlace::Message::none || (at.message == ClientPlace::Message::reply && at.is_paused)) return;
  Place then = place;
  if (!then.zone.require_same({}, {at.arrives})) return;
  if (at.message == ClientPlace::Message::request) {
    event_ = {Event::Kind::request, client};
    return arrive_at_server(std::move(then), client);
  }
  event_ = {Event::Kind::reply, client};
  HostInput heard = input(place, client, HostInput::Kind::reply);
  heard.reply = at.payload;
  then.clients[client].message = ClientPlace::Message::none;
  act(std::move(then), client, heard);
}

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
  show(place, monitors_.sending(client, at.of_resource));
  finish(std::move(place));
}

void Successors::arrive_at_server(Place place, std::size_t client) {
  const Id command = place.clients[client].payload;
  if (place.clients[client].of_resource) {
    const ResourceStates::Step& step = resource_.step(place.resource, command);
    place.resource = step.state;
    show(place, monitors_.executing(client, true, payloads_.command(command), payloads_.reply(step.reply), {}));
    return answer(std::move(place), client, step.reply);
  }
  const std::string refused = server_->refuses(payloads_.command(command));
  if (!refused.empty()) throw Unsuited(refused);
  execute(std::move(place), client, {});
}

/// Asks of each lease whether it is over, and runs the command where all answers can be true.
void Successors::execute(Place place, std::size_t client, std::vector<bool> over) {
  const auto& leases = server_->leases(place.server);
  if (over.size() < leases.size()) {
    const auto& lease = leases[over.size()];
    const TimePoint end{place.leases[static_cast<std::size_t>(lease.name)], lease.after.count()};
    Place runs_on = place;
    over.push_back(true);
    if (place.zone.require_not_after(end, {})) execute(std::move(place), client, over);
    over.back() = false;
    if (runs_on.zone.require_before({}, end)) execute(std::move(runs_on), client, std::move(over));
    return;
  }
  const ServerStep& step = server_step(place.server, place.clients[client].payload, over);
  std::vector<Row> names;
  Row begun = forgotten;
  for (const int name : step.names) {
    const bool is_new = name == sim::SymbolicServer::begins;
    if (is_new && begun == forgotten) begun = place.zone.add(now_row, server_->begin().least, server_->begin().most);
    names.push_back(is_new ? begun : place.leases[static_cast<std::size_t>(name)]);
  }
  place.server = step.state;
  place.leases = std::move(names);
  if (!place.kept.empty() && begun != forgotten) place.kept.push_back(begun);
  const Id command = place.clients[client].payload;
  show(place,
       monitors_.executing(client, false, payloads_.command(command), payloads_.reply(step.reply), step.effects));
  answer(std::move(place), client, step.reply);
}

const Successors::ServerStep& Successors::server_step(Id state, Id command, const std::vector<bool>& over) {
  const auto [known, is_new] = server_steps_.try_emplace({state, command, over});
  if (is_new) {
    sim::SymbolicServer::Step step = server_->execute(state, payloads_.command(command), over);
    known->second = {step.state, payloads_.add(step.reply), std::move(step.names), std::move(step.effects)};
  }
  return known->second;
}

void Successors::answer(Place place, std::size_t client, Id reply) {
  ClientPlace& at = place.clients[client];
  at.message = ClientPlace::Message::reply;
  at.payload = reply;
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

/// Lets time pass, as far as nothing is due before.
void Successors::finish(Place place) {
  if (!place.kept.empty()) place.kept.push_back(place.zone.add(now_row, {}, {}));
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const ClientAutomaton::State& state = state_of(place, client);
    ClientPlace& at = place.clients[client];
    if (at.is_overdue && state.due_is_alone) at.names[static_cast<std::size_t>(state.due->name)] = forgotten;
    if (state.is_over && !at.is_paused) at.names.clear();
  }
  std::string bytes = place.make_canonical();
  Zone& zone = place.zone;
  if (!place.is_urgent()) zone.delay();
  const auto is_now_or_later = [&](const TimePoint& instant) { return zone.require_not_after({}, instant); };
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const ClientPlace& at = place.clients[client];
    const bool is_coming =
        at.message == ClientPlace::Message::request || (at.message == ClientPlace::Message::reply && !at.is_paused);
    if (is_coming && !is_now_or_later({at.arrives})) return;
    if (at.is_paused && !is_now_or_later({at.wakes})) return;
    const auto due = due_of(place, client);
    if (due && !at.is_paused && !is_now_or_later(*due)) return;
  }
  sink_->reach(std::move(place), std::move(bytes), event_);
}

}  // namespace lockproof::zones
