// SPDX-License-Identifier: Apache-2.0
#include "real/run/fault_driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/faults/operators.hpp"
#include "real/client/faults.hpp"

namespace lockproof::real {

using harness::Fault;
using harness::FaultKind;
using Action = harness::FaultRow::Action;
using harness::HostIndex;

namespace {

bool stops_clock(const Fault& fault) { return row_of(fault.kind).clocks == harness::FaultRow::Clocks::monotonic; }

}  // namespace

FaultDriver::FaultDriver(EventLoop& loop, const harness::Scenario& scenario, Cast cast, Note note, DoneCallback done)
    : loop_(loop), scenario_(scenario), cast_(std::move(cast)), note_(std::move(note)), done_(std::move(done)),
      states_(cast_.clients.size() + scenario_.servers.size()) {}

HostIndex FaultDriver::first_server() const { return static_cast<HostIndex>(cast_.clients.size()); }

HostIndex FaultDriver::host_named(const std::string& name) const {
  const auto names = scenario_.host_names(true, true);
  return static_cast<HostIndex>(std::ranges::find(names, name) - names.begin());
}

ServerHost* FaultDriver::server(HostIndex host) {
  const auto index = static_cast<std::size_t>(host - first_server());
  return host < first_server() || index >= cast_.servers.size() ? nullptr : cast_.servers[index];
}

ProcessControl& FaultDriver::process(HostIndex host) {
  if (ServerHost* const at = server(host)) return at->child();
  return cast_.clients.at(static_cast<std::size_t>(host))->process();
}

void FaultDriver::start(WorldTime time) {
  time_ = time;
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
    const Fault& fault = scenario_.faults[i];
    if (!fault.at) continue;
    strikes_at_start(fault) ? strike(i) : strike_at(*fault.at, i);
  }
}

void FaultDriver::strike_at(Duration when, std::size_t fault) {
  ++to_strike_;
  at(when, [this, fault] {
    --to_strike_;
    strike(fault);
  });
}

void FaultDriver::at(Duration when, std::function<void()> act) {
  const std::int64_t due = std::max(time_.machine_at(when), machine_ns());
  timers_.push_back(std::make_unique<EventLoop::Timer>(loop_, [this, due, act = std::move(act)] {
    done_(due, machine_ns());
    act();
  }));
  timers_.back()->set(due);
}

void FaultDriver::trigger_fault(std::size_t fault, Duration when, const StruckMessage& message) {
  mark_message(fault, message);
  if (when <= now()) return strike(fault);
  strike_at(when, fault);
}

/// Faults of a message are set on its connection at once, before it leaves.
void FaultDriver::mark_message(std::size_t index, const StruckMessage& m) {
  const Fault& fault = scenario_.faults.at(index);
  if (!cast_.proxy || m.server < 0) return;
  struck_messages_[index] = m;
  const bool never_sent =
      fault.delay == Duration{} && (fault.kind == FaultKind::crash || fault.kind == FaultKind::break_connection);
  if (never_sent && fault.when->moment == harness::EventPlace::Moment::before && is_outside(host_named(fault.target))) {
    cast_.proxy->drop_unsent(m.server, m.port, m.number);
  }
  if (fault.kind == FaultKind::half_open) cast_.proxy->drop_from(m.server, m.port, fault.reply, m.number);
  if (fault.kind == FaultKind::delay) {
    cast_.proxy->delay(m.server, m.port, fault.reply, m.number, time_.machine_ns_of(fault.by));
  }
}

void FaultDriver::strike(std::size_t index) {
  struck_[index] = 0;
  const Fault& fault = scenario_.faults.at(index);
  const HostIndex host = host_named(fault.target);
  if (server(host)) return strike_server(fault, host, index);
  if (state(host).crashed) return;  // one that has only finished is still there, as in the simulator
  strike_client(fault, host, index);
  if (has_end(fault)) at(now() + fault.lasts, [this, index] { heal_once(index); });
}

void FaultDriver::strike_client(const Fault& fault, HostIndex host, std::size_t index) {
  const auto client = static_cast<std::size_t>(host);
  const auto record = [&] { note_(host, strike_event(scenario_, index), {}); };
  switch (row_of(fault.kind).action) {
    case Action::stand_still:
      stand(fault, host, true);  // written down when it stands: nothing that it did comes after the strike
      return record();
    case Action::end_process:
      state(host).crashed = true;
      process(host).kill();
      return record();
    case Action::end_worker:
      if (!process(host).alive()) return record();
      // The client records it, unless it dies before that.
      note_(host, strike_event(scenario_, index), fmt::format("kill-task-{}", index));
      return cast_.clients[client]->order(Order::kill_task, index);
    case Action::jump_clock:
      record();
      cast_.board.shared().wall_jumped_us[client].fetch_add(fault.by.count());
      return cast_.clients[client]->order(Order::clocks, 0);
    case Action::set_rate: record(); return set_rate(host, fault.rate_ppb);
    case Action::break_connection: record(); return break_connection(fault, host);
    case Action::cut_off: record(); return hold(index, host, true);
    case Action::switch_connection:
      record();
      if (cast_.proxy) cast_.proxy->keep(host, host_named(fault.peer));
      return;
    case Action::strike_message:
      if (fault.kind == FaultKind::resend || fault.kind == FaultKind::retry) return;  // when the client sends again
      return record();  // laid on its connection, see mark_message
    case Action::take_down:
    case Action::promote:
    case Action::change_store: return;  // of servers
  }
}

void FaultDriver::strike_server(const Fault& fault, HostIndex host, std::size_t index) {
  ServerHost& hit = *server(host);
  const harness::FaultRow& row = row_of(fault.kind);
  if (state(host).down && row.of_process) return;  // it cannot strike
  if (fault.kind == FaultKind::failover && master_of(host_named(fault.peer)) != host) return;
  if (row.action == Action::take_down) return take_down(fault, host, index);
  if (has_end(fault)) at(now() + fault.lasts, [this, index] { heal(index); });
  if (row.action == Action::change_store) return change_store(fault, host, index);
  if (row.action == Action::stand_still) stand(fault, host, true);
  if (row.action == Action::end_process) state(host).crashed = true, hit.kill();
  const bool dies = row.action == Action::promote && !fault.old_serves && !state(host).down;
  if (dies && state(host).pauses == 0) hit.finish();  // what has reached it ran before the strike
  note_(host, strike_event(scenario_, index), {});
  if (row.action == Action::jump_clock) hit.jump(fault.by);
  if (row.action == Action::set_rate) set_rate(host, fault.rate_ppb);
  if (row.action == Action::cut_off) hold(index, host, true);
  if (row.action == Action::promote) fail_over(fault, host);
}

/// A server that stands still goes on for its operator's command.
void FaultDriver::change_store(const Fault& fault, HostIndex host, std::size_t index) {
  ServerHost& hit = *server(host);
  const std::string mark = fmt::format("lockproof-fault-{}", index + 1);
  note_(host, strike_event(scenario_, index), mark);
  if (state(host).pauses > 0) hit.child().go_on();
  hit.apply(fault, scenario_.lock, mark);
  if (state(host).pauses > 0) hit.child().stop();
}

bool FaultDriver::is_outside(HostIndex host) const {
  return host < first_server() && cast_.clients[static_cast<std::size_t>(host)]->is_outside();
}

/// `until`: counted from the strike on, in whatever round.
void FaultDriver::happens(const harness::EventPlace& event) {
  for (auto& [index, seen] : struck_) {
    const Fault& fault = scenario_.faults.at(index);
    if (!fault.until || healed_.contains(index)) continue;
    if (!harness::ends_at(*fault.until, event) || ++seen != fault.until->occurrence) continue;
    at(now() + fault.longer, [this, index = index] { heal_once(index); });
  }
}

void FaultDriver::heal_once(std::size_t index) {
  if (!healed_.insert(index).second) return;
  const Fault& fault = scenario_.faults.at(index);
  if (fault.kind != FaultKind::delay) return heal(index);
  const auto late = struck_messages_.find(index);
  if (late != struck_messages_.end()) {
    cast_.proxy->hasten(late->second.server, late->second.port, fault.reply, late->second.number);
  }
}

void FaultDriver::heal(std::size_t index) {
  const Fault& fault = scenario_.faults.at(index);
  const HostIndex host = host_named(fault.target);
  const bool dead = state(host).crashed;  // what it had sent is still in flight
  if (!dead) note_(host, heal_event(scenario_, index), {});
  const Action action = row_of(fault.kind).action;
  if (action == Action::cut_off) hold(index, host, false);
  if (dead) return;
  if (action == Action::stand_still) stand(fault, host, false);
  if (action == Action::set_rate) set_rate(host, 0);
}

void FaultDriver::stand(const Fault& fault, HostIndex host, bool on) {
  if (stops_clock(fault)) stop_clock(host, now(), on);
  pause(host, on);
}

/// A client finds its monotonic clock set behind before it does anything else: the supervisor's order is there when it
/// goes on.
void FaultDriver::stop_clock(HostIndex host, Duration when, bool on) {
  StoppedClock& clock = state(host).mono;
  on ? clock.stop(when) : clock.go_on(when);
  if (on || server(host)) return;
  cast_.board.shared().stood_us[host].store(clock.stood(when).count());
  cast_.clients[static_cast<std::size_t>(host)]->order(Order::clocks, 0);
}

/// Messages to a stopped server wait at the proxy, if there is one: commands because their events are yet to happen,
/// its master's messages because the server may get another master before it goes on. So do the messages that a stopped
/// program has sent.
void FaultDriver::pause(HostIndex host, bool on) {
  int& pauses = state(host).pauses;
  pauses += on ? 1 : -1;
  if (on) process(host).stop();
  if (!on && pauses == 0) process(host).go_on();
  if (!cast_.proxy) return;
  if (!server(host)) {
    if (!is_outside(host)) return;
    for (HostIndex to = first_server(); to < static_cast<HostIndex>(states_.size()); ++to)
      cast_.proxy->hold(host, to, on);
    return;
  }
  for (HostIndex from = 0; from < static_cast<HostIndex>(states_.size()); ++from) {
    if (from != host) cast_.proxy->hold(from, host, on);
  }
}

void FaultDriver::stops_itself(HostIndex client, std::size_t fault, Duration until) {
  const Fault& by = scenario_.faults.at(fault);
  const bool stops = stops_clock(by);
  state(client).stops_itself = true;
  ++state(client).pauses;
  if (stops) stop_clock(client, until - by.lasts, true);
  at(until, [this, client, stops] {
    --state(client).pauses;
    if (stops) stop_clock(client, now(), false);
    end_own_pause(client);
  });
}

/// The client may not be stopped yet, and then the signal is lost: it is sent again until the client reports that it
/// goes on.
void FaultDriver::end_own_pause(HostIndex client) {
  if (!state(client).stops_itself || !process(client).alive()) return;
  if (state(client).pauses == 0) process(client).go_on();
  const std::int64_t millisecond = 1'000'000;
  at(time_.at(machine_ns() + millisecond), [this, client] { end_own_pause(client); });
}

void FaultDriver::set_rate(HostIndex host, std::int64_t ppb) {
  if (ServerHost* const at = server(host)) return at->set_rate(now(), ppb);
  SharedDrift& drift = cast_.board.shared().drift[host];
  drift.set(drift.get().with_rate(now(), ppb));
  cast_.clients[static_cast<std::size_t>(host)]->order(Order::clocks, 0);
}

}  // namespace lockproof::real
