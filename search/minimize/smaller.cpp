// SPDX-License-Identifier: Apache-2.0
#include "search/minimize/smaller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::sim {
namespace {

using harness::Fault;
using harness::Scenario;
using Number = std::int64_t;

constexpr Number tenth_of_percent = 1'000'000;  // in parts per billion
constexpr Number millisecond = 1'000;           // in microseconds

/// `value` in microseconds or parts per billion, with its sign.
Knob knob(std::string what, Number least, Number value, Number step, std::function<void(Scenario&, Number)> set,
          std::function<std::string(Number)> text) {
  const Number size = std::abs(value), sign = value < 0 ? -1 : 1, most = (size + step - 1) / step;
  const auto in_steps = [=](Number n) { return n == most ? value : sign * n * step; };
  return {std::move(what), least, most, [=, set = std::move(set)](Scenario& s, Number n) { set(s, in_steps(n)); },
          [=, text = std::move(text)](Number n) { return text(in_steps(n)); }};
}

std::string time_text(Number us) { return harness::to_text(Duration(us)); }
std::string jump_text(Number us) { return us < 0 ? "-" + time_text(-us) : time_text(us); }
std::string rate_text(Number ppb) { return harness::percent_text(ppb) + "%"; }

void add_knobs(std::vector<Knob>& all, const Fault& fault, std::size_t i, Number grid) {
  const std::string what = harness::fault_name(fault);
  const bool jumps = fault.kind == harness::FaultKind::clock_jump;
  const Number whole = (grid + millisecond - 1) / millisecond * millisecond;
  if (fault.lasts != Duration{}) {
    const auto set = [i](Scenario& s, Number us) { s.faults[i].lasts = Duration(us); };
    all.push_back(knob(what + " for", 1, fault.lasts.count(), grid, set, time_text));
  }
  if (fault.by != Duration{}) {
    const auto set = [i](Scenario& s, Number us) { s.faults[i].by = Duration(us); };
    all.push_back(knob(what + " by", 1, fault.by.count(), jumps ? whole : grid, set, jump_text));
  }
  if (fault.rate_ppb != 0) {
    const auto set = [i](Scenario& s, Number ppb) { s.faults[i].rate_ppb = ppb; };
    all.push_back(knob(what + " by", 1, fault.rate_ppb, tenth_of_percent, set, rate_text));
  }
  if (fault.delay != Duration{}) {
    const auto set = [i](Scenario& s, Number us) { s.faults[i].delay = Duration(us); };
    all.push_back(knob("after the event, " + what + " by", 0, fault.delay.count(), grid, set, time_text));
  }
}

void rename(std::string& name, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  const auto found = std::ranges::find(from, name);
  if (found != from.end()) name = to[static_cast<std::size_t>(found - from.begin())];
}

bool speaks_of(const Fault& fault, const std::string& client) {
  return fault.target == client || fault.peer == client || fault.session == client ||
         std::ranges::count(fault.to_clients, client) > 0 ||
         (fault.when && (fault.when->actor == client || fault.when->client == client));
}

void rename(Fault& fault, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  rename(fault.target, from, to);
  rename(fault.peer, from, to);
  rename(fault.session, from, to);
  for (std::string& client : fault.to_clients) rename(client, from, to);
  if (!fault.when) return;
  rename(fault.when->actor, from, to);
  rename(fault.when->client, from, to);
}

void add(std::vector<Change>& all, std::string part, std::string what, std::string from, std::string to) {
  if (from != to) all.push_back({std::move(part), std::move(what), std::move(from), std::move(to)});
}

/// Describes what a fault does, and where it strikes.
void add_changes(std::vector<Change>& all, const Fault& from, const Fault& to) {
  const std::string what = harness::fault_name(from);
  const auto rest = [](const Fault& fault) {
    const std::string text = harness::fault_text_without_place(fault);
    return text.substr(std::min(text.size(), harness::fault_name(fault).size() + 1));
  };
  const auto place = [](const Fault& fault) {
    const std::string text = harness::place_text(fault);
    return text.empty() ? "from the start" : text.substr(text.front() == ',' ? 2 : 1);
  };
  add(all, "duration", what, rest(from), rest(to));
  add(all, "place", what, place(from), place(to));
}

std::string window_text(const harness::Window& w) {
  return w.least == w.most ? harness::to_text(w.least)
                           : fmt::format("{} to {}", harness::to_text(w.least), harness::to_text(w.most));
}

std::string clock_text(const harness::ClockSpec& clock) { return jump_text(clock.wall.count()); }

void add_changes(std::vector<Change>& all, const harness::ClientSpec& from, const harness::ClientSpec& to) {
  const auto number = [](const std::optional<int>& n) { return n ? std::to_string(*n) : "no limit"; };
  add(all, "rounds", from.name, std::to_string(from.plan.rounds), std::to_string(to.plan.rounds));
  add(all, "attempts", from.name, number(from.plan.attempts), number(to.plan.attempts));
  const auto retry = [](const auto& delay) { return delay ? harness::to_text(*delay) : "the algorithm's"; };
  add(all, "retry", from.name, retry(from.plan.retry), retry(to.plan.retry));
  add(all, "start", from.name, harness::to_text(from.plan.start), harness::to_text(to.plan.start));
  add(all, "clock", from.name, clock_text(from.clock), clock_text(to.clock));
}

}  // namespace

std::vector<Knob> knobs_of(const Scenario& scenario) {
  std::vector<Knob> all;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    add_knobs(all, scenario.faults[i], i, scenario.grid.count());
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const std::vector<std::size_t> tasks = scenario.process_of(i);  // they have one clock
    const auto set = [tasks](Scenario& s, Number us) {
      for (const std::size_t task : tasks) s.clients[task].clock.wall = Duration(us);
    };
    const auto& [name, clock, plan, server, parameters, environment, process] = scenario.clients[i];
    if (clock.wall != Duration{} && tasks.front() == i) {
      all.push_back(knob("clock of " + name + " ahead by", 0, clock.wall.count(), millisecond, set, jump_text));
    }
  }
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    const auto set = [i](Scenario& s, Number us) { s.servers[i].clock.wall = Duration(us); };
    const Duration wall = scenario.servers[i].clock.wall;
    if (wall != Duration{}) {
      all.push_back(
          knob("clock of " + scenario.servers[i].name + " ahead by", 0, wall.count(), millisecond, set, jump_text));
    }
  }
  return all;
}

std::optional<Scenario> without_client(const Scenario& scenario, std::size_t client) {
  if (scenario.clients.size() <= 2) return std::nullopt;
  const std::string gone = scenario.clients[client].name;
  Scenario less = scenario;
  if (std::ranges::any_of(less.faults, [&](const Fault& fault) { return speaks_of(fault, gone); })) return std::nullopt;
  for (harness::SentinelSpec& sentinel : less.sentinels) {
    if (sentinel.to_clients == std::vector{gone}) return std::nullopt;  // an empty list would notify all clients
    std::erase(sentinel.to_clients, gone);
  }
  less.steps.clear();
  less.clients.erase(less.clients.begin() + static_cast<std::ptrdiff_t>(client));
  std::vector<std::string> from, to;
  for (std::size_t i = 0; i < less.clients.size(); ++i) {
    from.push_back(less.clients[i].name);
    to.push_back(scenario.clients[i].name);
    less.clients[i].name = to.back();
  }
  for (Fault& fault : less.faults) rename(fault, from, to);
  for (harness::SentinelSpec& sentinel : less.sentinels) {
    for (std::string& name : sentinel.to_clients) rename(name, from, to);
  }
  return less;
}

Fault form_of(Fault fault) {
  fault.at.reset();
  fault.when.reset();
  fault.delay = {};
  fault.line = 0;
  const bool cuts = fault.kind == harness::FaultKind::break_connection || fault.kind == harness::FaultKind::partition ||
                    fault.kind == harness::FaultKind::pool_switch;
  if (cuts) fault.peer.clear();  // the event says which client it is
  return fault;
}

std::vector<Change> changes(const Scenario& from, const Scenario& to, const Subset& faults, const Subset& clients) {
  std::vector<Change> all;
  for (std::size_t i = 0; i < from.faults.size(); ++i) {
    if (std::ranges::count(faults, i) == 0) all.push_back({"fault", harness::fault_text(from.faults[i]), "", ""});
  }
  for (std::size_t i = 0; i < from.clients.size(); ++i) {
    if (std::ranges::count(clients, i) == 0) all.push_back({"client", from.clients[i].name, "", ""});
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::string &was = from.clients[clients[i]].name, &is = to.clients[i].name;
    if (was != is) all.push_back({"name", was, was, is});
    add_changes(all, from.clients[clients[i]], to.clients[i]);
  }
  for (std::size_t i = 0; i < faults.size(); ++i) add_changes(all, from.faults[faults[i]], to.faults[i]);
  for (std::size_t i = 0; i < from.servers.size(); ++i) {
    add(all, "clock", from.servers[i].name, clock_text(from.servers[i].clock), clock_text(to.servers[i].clock));
  }
  add(all, "latency", "", window_text(from.network.latency), window_text(to.network.latency));
  add(all, "replication", "", window_text(from.network.replication), window_text(to.network.replication));
  return all;
}

}  // namespace lockproof::sim
