// SPDX-License-Identifier: Apache-2.0
#include "real/fault_driver.hpp"

#include <algorithm>

#include "real/faults.hpp"

namespace lockproof::real {

using harness::Fault;
using harness::FaultKind;
using harness::HostIndex;

void FaultDriver::start(WorldTime time) {
  time_ = time;
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
    if (scenario_.faults[i].at) at(*scenario_.faults[i].at, [this, i] { strike(i); });
  }
}

void FaultDriver::at(Duration when, std::function<void()> act) {
  timers_.push_back(std::make_unique<EventLoop::Timer>(loop_, std::move(act)));
  timers_.back()->set(time_.machine_at(when));
}

void FaultDriver::provoke(std::size_t fault, Duration when) {
  if (when <= time_.now()) return strike(fault);
  at(when, [this, fault] { strike(fault); });
}

void FaultDriver::strike(std::size_t index) {
  const Fault& fault = scenario_.faults.at(index);
  const auto found = std::ranges::find(targets_, fault.target, &Target::name);
  const auto host = static_cast<HostIndex>(found - targets_.begin());
  Target& hit = *found;
  if (!hit.process.alive()) return;
  switch (fault.kind) {
    case FaultKind::pause:
      hit.process.stop();  // written down when it stands: nothing that it did comes after the strike
      ++hit.pauses;
      note_(host, strike_event(scenario_, index));
      return at(time_.now() + fault.lasts, [this, index, host] { heal(index, host); });
    case FaultKind::crash:
      hit.crashed = true;
      hit.process.kill();
      return note_(host, strike_event(scenario_, index));
    case FaultKind::clock_jump:
      note_(host, strike_event(scenario_, index));
      if (hit.clock) hit.clock->jump(fault.by.count());
      if (hit.wall_jumped_us) hit.wall_jumped_us->fetch_add(fault.by.count());
      return;
    default: return;  // see require_supported
  }
}

void FaultDriver::heal(std::size_t fault, HostIndex host) {
  Target& held = target(host);
  if (!held.process.alive()) return;
  note_(host, heal_event(scenario_, fault));
  if (--held.pauses == 0) held.process.go_on();
}

void FaultDriver::stops_itself(HostIndex client, Duration until) {
  Target& held = target(client);
  held.stops_itself = true;
  ++held.pauses;
  at(until, [this, client] {
    --target(client).pauses;
    end_own_pause(client);
  });
}

/// It may not stand yet, and then the signal is lost: asked again until the client says that it goes on.
void FaultDriver::end_own_pause(HostIndex client) {
  Target& held = target(client);
  if (!held.stops_itself || !held.process.alive()) return;
  if (held.pauses == 0) held.process.go_on();
  const std::int64_t millisecond = 1'000'000;
  at(time_.at(machine_ns() + millisecond), [this, client] { end_own_pause(client); });
}

void FaultDriver::woke(HostIndex client) { target(client).stops_itself = false; }

}  // namespace lockproof::real
