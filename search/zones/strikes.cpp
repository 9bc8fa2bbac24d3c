// SPDX-License-Identifier: Apache-2.0
// The part of Successors for faults that strike by themselves, at any instant, and how they heal.
#include <algorithm>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

using harness::FaultKind;
using Action = harness::FaultRow::Action;

bool Successors::can_strike(const Place& place, std::size_t entry) const {
  return place.faults() < bounds_.max_faults && bounds_.left_of(entry, place.struck) > 0;
}

std::uint32_t Successors::code(Event::Fault form) const {
  std::size_t before = 0;
  for (std::size_t entry = 0; entry < form.first; ++entry)
    before += entry < bounds_.budget.size() ? bounds_.budget[entry].forms.size() : 1;
  return static_cast<std::uint32_t>(before + form.second + 1);
}

Event::Fault Successors::fault_with(std::uint32_t code) const {
  std::size_t form = code - 1, entry = 0;
  while (entry < bounds_.budget.size() && form >= bounds_.budget[entry].forms.size())
    form -= bounds_.budget[entry++].forms.size();
  return entry < bounds_.budget.size() ? Event::Fault(entry, form) : placed(form);
}

std::optional<std::size_t> Successors::client_named(const std::string& name) const {
  const auto found = std::ranges::find(scenario_.clients, name, &harness::ClientSpec::name);
  if (found == scenario_.clients.end()) return std::nullopt;
  return static_cast<std::size_t>(found - scenario_.clients.begin());
}

void Successors::offer_strikes(const Place& place) {
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    if (!can_strike(place, entry)) continue;
    // A form with a delay strikes behind an event, which is an instant of its own here.
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) offer_form(place, {entry, form});
  }
}

void Successors::offer_form(const Place& place, Event::Fault form) {
  const harness::Fault& fault = fault_of(form);
  const Action action = harness::row_of(fault.kind).action;
  if (action == Action::cut_off) return offer_cuts(place, form);
  if (action == Action::set_rate) return;  // it holds from the beginning
  if (!client_named(fault.target) && place.server_is_down && action != Action::jump_clock) return;
  if (action == Action::take_down) {
    if (fault.delay != Duration{}) return;
    event_ = {.kind = Event::Kind::strike, .fault = form};
    for (Place& struck : take_down(place, form)) finish(std::move(struck));
    return;
  }
  const auto client = client_named(fault.target);
  if (action == Action::change_store) {
    Place struck = place;
    event_ = {.kind = Event::Kind::strike, .fault = form};
    change_store(struck, form);
    return finish(std::move(struck));
  }
  if (!client && (action == Action::stand_still || action == Action::jump_clock)) {
    Place struck = place;
    event_ = {.kind = Event::Kind::strike, .fault = form};
    if (counts_ticks_ && fault.kind == FaultKind::suspend) {
      if (auto longer = outlasted_at_server(place, form)) finish(*std::move(longer));
    }
    if (strike_server(struck, form)) finish(std::move(struck));
    return;
  }
  if (!client || state_of(place, *client).is_over) return;
  if (action == Action::break_connection) return offer_breaks(place, *client, form);
  // A client that only waits until it likes to ask loses nothing by a pause: it could as well have asked later.
  const ClientAutomaton::State& state = state_of(place, *client);
  const bool loses_nothing = fault.kind != FaultKind::suspend || place.clients[*client].names.empty();
  if (state.wants && !state.due && !place.clients[*client].is_paused && loses_nothing) return;
  Place struck = place;
  event_ = {.kind = Event::Kind::strike, .client = *client, .fault = form};
  if (fault.kind == FaultKind::suspend) {
    if (auto longer = outlasted(place, *client, form)) finish(*std::move(longer));
  }
  if (strike_client(struck, *client, form)) finish(std::move(struck));
}

/// Another pause lasts for longer: nothing changes but the clock of a suspension.
std::optional<Place> Successors::outlasted(Place place, std::size_t client, Event::Fault form) const {
  ClientPlace& at = place.clients[client];
  const harness::Fault& fault = fault_of(form);
  if (!at.is_paused || !place.zone.require_before({now_row, fault.lasts.count()}, {at.wakes})) return std::nullopt;
  count(place, form);
  if (fault.kind == FaultKind::suspend) stop_clock(place, client, form);
  return place;
}

/// As of a client.
std::optional<Place> Successors::outlasted_at_server(Place place, Event::Fault form) const {
  const TimePoint end{now_row, fault_of(form).lasts.count()};
  if (!place.server_is_paused || !place.zone.require_before(end, {place.server_wakes})) return std::nullopt;
  count(place, form);
  stop_clock_of_server(place, form);
  return place;
}

/// From now on, as the monitors that count time see it, too. `peer`: the other end, unless it is everybody.
void Successors::add_cut(Place& place, Event::Fault form, std::optional<std::size_t> peer, std::uint32_t lines) {
  const harness::Fault& fault = fault_of(form);
  const auto seen = [&](harness::What what) {
    const auto host = peer ? static_cast<harness::HostIndex>(*peer) : harness::no_host;
    return monitors_.holding_up(what, client_named(fault.target), fault.kind, host);
  };
  const Id end = place.timed_monitors.empty() ? sim::EventLists::empty : seen(harness::What::heal);
  place.cuts.push_back({lines, place.zone.add(now_row, fault.least.value_or(fault.lasts), fault.lasts), end});
  if (end != sim::EventLists::empty) add_unseen(place, seen(harness::What::strike));
}

/// From the server or from the resource, or from both.
void Successors::offer_cuts(const Place& place, Event::Fault form) {
  const harness::Fault& fault = fault_of(form);
  const auto target = client_named(fault.target);
  if (target && state_of(place, *target).is_over) return;
  const std::size_t server = scenario_.clients.size(), resource = server + 1;
  const auto lines = [&](std::size_t client, bool of_resource) {
    return line_bit(client, of_resource, true) | line_bit(client, of_resource, false);
  };
  const auto cut = [&](std::optional<std::size_t> peer, std::uint32_t which) {
    Place struck = place;
    count(struck, form);
    event_ = {.kind = Event::Kind::strike, .client = target.value_or(0), .fault = form, .peer = peer};
    add_cut(struck, form, peer, which);
    finish(std::move(struck));
  };
  if (fault.peer == harness::all_hosts) {
    std::uint32_t all = 0;
    for (std::size_t client = 0; client < server; ++client) {
      if (!target) all |= lines(client, false);
    }
    return cut(std::nullopt, target ? lines(*target, false) | lines(*target, true) : all);
  }
  if (target) {
    cut(server, lines(*target, false));
    return cut(resource, lines(*target, true));
  }
  for (std::size_t client = 0; client < server; ++client) cut(client, lines(client, false));
}

void Successors::set_store(Place& place, const sim::SymbolicServer::Step& step) const {
  std::vector<Row> leases;
  for (const int name : step.names) leases.push_back(place.leases[static_cast<std::size_t>(name)]);
  place.server = step.state;
  place.leases = std::move(leases);
}

/// All its connections end; what is on its way to it, or inside it, is lost. Each client learns of it behind the
/// answers that have left.
std::vector<Place> Successors::take_down(Place place, Event::Fault form) {
  count(place, form);
  const harness::Fault& fault = fault_of(form);
  const sim::SymbolicServer::Step step = server_->go_down(place.server, fault.kind == FaultKind::power_cut);
  set_store(place, step);
  show(place, monitors_.striking({}, fault.kind, step.effects));
  place.server_is_down = true;
  place.server_stood = forgotten;
  place.server_is_up = place.zone.add(now_row, fault.least.value_or(fault.lasts), fault.lasts);
  const Duration travel = scenario_.network.latency.least;
  std::vector<Place> all{std::move(place)};
  for (std::size_t client = 0; client < scenario_.clients.size(); ++client) {
    std::vector<Place> learnt;
    for (Place& one : all) {
      ClientPlace& at = one.clients[client];
      lose_requests(one, client, false);
      const bool learns = !at.is_gone && state_of(one, client).round > 0 && !at.server.is_reset;
      if (!learns) {
        learnt.push_back(std::move(one));
        continue;
      }
      at.server.is_reset = true;
      for (Place& then : pushed(std::move(one), client, {.kind = Message::Kind::news}, {travel, travel}))
        learnt.push_back(std::move(then));
    }
    all = std::move(learnt);
  }
  return all;
}

/// What is on its way there, or inside it.
void Successors::lose_requests(Place& place, std::size_t client, bool of_resource) {
  const bool is_in_hand =
      place.in_hand && place.in_hand->client == client && place.in_hand->message.of_resource == of_resource;
  if (is_in_hand) place.in_hand->is_lost = true;
  std::vector<int> numbers;
  std::erase_if(place.clients[client].messages, [&](const Message& message) {
    const bool is_lost = message.of_resource == of_resource && (message.is_request() || message.waits != 0);
    if (is_lost && message.is_request()) numbers.push_back(message.number);
    return is_lost;
  });
  if (!numbers.empty()) show(place, monitors_.losing(client, of_resource, std::move(numbers)));
}

void Successors::change_store(Place& place, Event::Fault form) {
  count(place, form);
  const sim::SymbolicServer::Step step = server_->strike(place.server, fault_of(form), scenario_.lock);
  set_store(place, step);
  show(place, monitors_.striking({}, fault_of(form).kind, step.effects));
}

/// Whether the end of that connection at the client changes anything.
bool Successors::uses(const Place& place, std::size_t client, bool of_resource) const {
  const ClientPlace& at = place.clients[client];
  const OpenEnd& end = of_resource ? at.resource : at.server;
  if (end.is_reset || end.loses_requests || end.loses_replies) return true;
  const auto is_open = [&](const Message& one) { return one.of_resource == of_resource && one.connection == 0; };
  return waits_for(place, client, of_resource) || std::ranges::any_of(at.messages, is_open);
}

/// At the client's end.
void Successors::offer_breaks(const Place& place, std::size_t client, Event::Fault form) {
  if (fault_of(form).delay != Duration{}) return;
  for (const bool of_resource : {false, true}) {
    if (!uses(place, client, of_resource)) continue;
    Place struck = place;
    count(struck, form);
    const std::size_t peer = scenario_.clients.size() + (of_resource ? 1 : 0);
    event_ = {.kind = Event::Kind::strike, .client = client, .fault = form, .peer = peer};
    lose(std::move(struck), client, of_resource);
  }
}

/// Pauses of one client overlap: it goes on when the last one ends. False: another one outlasts this, or the fault is
/// none of a process.
bool Successors::strike_client(Place& place, std::size_t client, Event::Fault form) {
  count(place, form);
  const harness::Fault& fault = fault_of(form);
  ClientPlace& at = place.clients[client];
  if (fault.kind == FaultKind::crash || fault.kind == FaultKind::kill_task) {
    end_process(place, client);
    show(place, monitors_.striking(client, fault.kind, {}));
    return true;
  }
  if (fault.kind == FaultKind::clock_jump) return true;  // nobody here reads a client's wall clock
  if (!harness::stands_still(fault.kind)) return false;
  if (at.is_paused) add_unseen(place, monitors_.holding_up(harness::What::heal, client, fault.kind));
  if (fault.kind == FaultKind::suspend) stop_clock(place, client, form);
  add_unseen(place, monitors_.holding_up(harness::What::strike, client, fault.kind));
  const Row before = at.wakes;
  at.wakes = place.zone.add(now_row, fault.least.value_or(fault.lasts), fault.lasts);
  return !std::exchange(at.is_paused, true) || place.zone.require_not_after({before}, {at.wakes});
}

/// As of clients.
bool Successors::strike_server(Place& place, Event::Fault form) {
  const harness::Fault& fault = fault_of(form);
  if (fault.kind == FaultKind::clock_jump) return jump_clock_of_server(place, form), true;
  count(place, form);
  if (place.server_is_paused) add_unseen(place, monitors_.holding_up(harness::What::heal, {}, fault.kind));
  add_unseen(place, monitors_.holding_up(harness::What::strike, {}, fault.kind));
  if (counts_ticks_ && place.server_stood == forgotten) place.server_stood = place.zone.add(now_row, {}, {});
  stop_clock_of_server(place, form);
  const Row before = place.server_wakes;
  place.server_wakes = place.zone.add(now_row, fault.least.value_or(fault.lasts), fault.lasts);
  return !std::exchange(place.server_is_paused, true) || place.zone.require_not_after({before}, {place.server_wakes});
}

/// What it had sent still arrives. Nothing hears the answers.
void Successors::end_process(Place& place, std::size_t client) const {
  ClientPlace& at = place.clients[client];
  at.laid.clear();
  close(place, client, false);
  close(place, client, true);
  at = ClientPlace{.messages = std::move(at.messages), .is_gone = true};
}

void Successors::offer_heals(const Place& place) {
  for (std::size_t cut = 0; cut < place.cuts.size(); ++cut) {
    Place healed = place;
    if (!healed.zone.require_same({}, {place.cuts[cut].until})) continue;
    event_ = {.kind = Event::Kind::heal, .client = cut};
    heal(std::move(healed), cut);
  }
}

/// What was to arrive by now arrives before time passes.
void Successors::heal(Place place, std::size_t cut) {
  const Place before = place;
  add_unseen(place, place.cuts[cut].end);
  place.cuts.erase(place.cuts.begin() + static_cast<std::ptrdiff_t>(cut));
  std::vector<Place> cases{std::move(place)};
  for (std::size_t client = 0; client < before.clients.size(); ++client) {
    const std::vector<Message>& messages = before.clients[client].messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].waits != 0 || !before.is_cut(client, messages[i]) || cases.empty()) continue;
      if (cases.front().is_cut(client, messages[i])) continue;
      cases =
          split_at_now(std::move(cases), [=](Place& one) -> Row& { return one.clients[client].messages[i].arrives; });
    }
  }
  for (Place& one : cases) finish(std::move(one));
}

}  // namespace lockproof::zones
