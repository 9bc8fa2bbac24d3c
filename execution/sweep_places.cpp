// SPDX-License-Identifier: Apache-2.0
// The part of a sweep that says what strikes where.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "execution/sweep.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::Event;
using harness::EventPlace;
using harness::Fault;
using harness::FaultKind;
using harness::What;

constexpr int polls_struck = 2;  // of commands that are alike in their round

/// A kind of fault as a sweep strikes it. Without a server it strikes the client of the event.
struct Kind {
  FaultKind kind;
  bool of_server;
  bool of_message;  // before and after commands only; between them it does no more than before the next one
};
constexpr Kind sweepable[] = {
    {FaultKind::pause, false, false},           {FaultKind::crash, false, false},  {FaultKind::half_open, false, true},
    {FaultKind::break_connection, false, true}, {FaultKind::delay, false, true},   {FaultKind::flush, true, false},
    {FaultKind::clock_jump, true, false},       {FaultKind::restart, true, false},
};

const Kind* kind_named(const std::string& name) {
  const auto found =
      std::ranges::find_if(sweepable, [&](const Kind& kind) { return name == harness::name(kind.kind); });
  return found == std::end(sweepable) ? nullptr : found;
}

/// How an event is counted: the same as Triggers counts it.
using Counted = std::tuple<std::string, EventPlace::Moment, std::string, std::string, EventPlace::LockState, int>;

/// Commands by which a library sets up or asks after a connection. A runtime with an event loop may send them before or
/// after another client has the lock, as it happens; so their events are named without the state of the lock.
bool concerns_no_lock(std::string_view verb) {
  static constexpr std::string_view all[] = {"AUTH", "CLIENT", "COMMAND", "ECHO", "HELLO", "INFO", "PING", "SELECT"};
  return std::ranges::find(all, verb) != std::end(all);
}

EventPlace::LockState state_from(const std::string& word) {
  for (const auto state : {EventPlace::LockState::free, EventPlace::LockState::own, EventPlace::LockState::held,
                           EventPlace::LockState::orphan}) {
    if (word == harness::name(state)) return state;
  }
  return EventPlace::LockState::any;
}

}  // namespace

std::vector<std::string> sweep_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : sweepable) names.emplace_back(harness::name(kind.kind));
  return names;
}

std::vector<std::string> sweep_kinds(const harness::Scenario& scenario) {
  std::vector<std::string> names;
  for (const Kind& kind : sweepable) {
    if (harness::can_have(scenario, kind.kind)) names.emplace_back(harness::name(kind.kind));
  }
  return names;
}

std::vector<EventPlace> events_of(const harness::History& history) {
  std::map<Counted, int> counts;
  struct SentCommand {
    EventPlace when;
    bool sets_up;
  };
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, std::map<int, SentCommand>> sent;
  std::vector<EventPlace> events;
  const bool one_server = std::ranges::count(history.header.hosts, harness::HostKind::server, &harness::Host::kind) < 2;
  std::set<std::string> begun;  // clients that have sent a command for the lock
  const auto happens = [&](EventPlace when, bool sets_up = false) {
    when.occurrence = ++counts[{when.actor, when.moment, when.verb, when.server, when.state, when.round}];
    if (sets_up) return;
    if (when.occurrence <= polls_struck || when.verb.empty()) events.push_back(std::move(when));
  };
  for (const Event& event : history.events) {
    if (event.host == harness::no_host || history.host_kind(event.host) != harness::HostKind::client) continue;
    EventPlace when{.actor = history.host_name(event.host)};
    when.round = event.round;
    if (event.round < 1) continue;
    const bool to_server = event.peer != harness::no_host && history.host_kind(event.peer) == harness::HostKind::server;
    if (event.what == What::enter || event.what == What::exit || (event.what == What::step && event.word == "touch")) {
      when.moment = event.what == What::enter  ? EventPlace::Moment::enters
                    : event.what == What::exit ? EventPlace::Moment::exits
                                               : EventPlace::Moment::touches;
      happens(when);
    } else if (event.what == What::send && to_server && event.command) {
      when.verb = event.command->verb();
      if (!one_server) when.server = history.host_name(event.peer);
      when.state = concerns_no_lock(when.verb) ? EventPlace::LockState::any : state_from(event.word);
      if (!concerns_no_lock(when.verb)) begun.insert(when.actor);
      const bool sets_up = !begun.contains(when.actor);
      sent[{event.host, event.peer}][event.message] = {when, sets_up};
      happens(when, sets_up);
    } else if (event.what == What::receive && to_server) {
      auto& known = sent[{event.host, event.peer}];
      const auto request = known.find(event.message);
      if (request == known.end()) continue;
      when = request->second.when;
      when.moment = EventPlace::Moment::after;
      when.round = event.round;
      happens(when, request->second.sets_up);
    }
  }
  return events;
}

std::vector<std::size_t> order_in_rounds(const std::vector<std::string>& kinds) {
  std::map<std::string, std::vector<std::size_t>> by_kind;
  for (std::size_t i = 0; i < kinds.size(); ++i) by_kind[kinds[i]].push_back(i);
  std::vector<std::tuple<std::size_t, std::size_t>> all;  // round, position
  for (const auto& [kind, places] : by_kind) {
    std::size_t round = 0;
    for (std::size_t step = std::bit_ceil(places.size()); step > 0; step /= 2) {
      const bool first = round == 0;
      for (std::size_t at = first ? 0 : step; at < places.size(); at += first ? step : 2 * step)
        all.emplace_back(round++, places[at]);
    }
  }
  std::ranges::sort(all);
  std::vector<std::size_t> order;
  for (const auto& [round, place] : all) order.push_back(place);
  return order;
}

harness::Scenario struck(const harness::Scenario& scenario, const std::string& kind_name, const EventPlace& event) {
  harness::Scenario changed = scenario;
  const Kind* kind = kind_named(kind_name);
  if (!kind) return changed;
  const bool of_command = event.moment == EventPlace::Moment::before || event.moment == EventPlace::Moment::after;
  const bool holds_locks =  // so its end matters between two commands, too
      kind->kind == FaultKind::break_connection && harness::row_of(scenario.algorithm->service).of_connections;
  if (kind->of_message && !of_command && !holds_locks) return changed;
  const Duration lease = *scenario.clients.front().plan.lease;
  const std::string& server = event.server.empty() ? scenario.servers.front().name : event.server;
  Fault fault{.kind = kind->kind, .target = kind->of_server ? server : event.actor};
  fault.when = event;
  const auto ends_when_another_enters = [&] {
    const auto other = std::ranges::find_if(scenario.clients, [&](const auto& c) { return c.name != event.actor; });
    if (other == scenario.clients.end()) return;
    fault.until = EventPlace{.actor = other->name, .moment = EventPlace::Moment::enters};
    fault.longer = lease * 3 / 20;
  };
  const bool reply = event.moment == EventPlace::Moment::after;
  switch (kind->kind) {
    case FaultKind::pause:
      fault.lasts = lease * 5 / 2;
      ends_when_another_enters();
      break;
    case FaultKind::half_open:
    case FaultKind::delay:
      fault.reply = reply;
      fault.when->moment = EventPlace::Moment::before;  // the reply of the command that is about to leave
      if (kind->kind == FaultKind::half_open) break;
      fault.by = lease * 5 / 2;
      ends_when_another_enters();
      break;
    case FaultKind::break_connection: fault.peer = server; break;
    case FaultKind::clock_jump: fault.by = lease + milliseconds(10); break;
    case FaultKind::restart: fault.lasts = lease / 3; break;
    default: break;
  }
  changed.faults.push_back(std::move(fault));
  return changed;
}

}  // namespace lockproof::execution
