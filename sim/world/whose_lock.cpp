// SPDX-License-Identifier: Apache-2.0
#include "sim/world/whose_lock.hpp"

#include <algorithm>

namespace lockproof::sim {

using harness::EventPlace;
using harness::HostIndex;
using harness::Phase;

bool WhoseLock::is_asked(const harness::Scenario& scenario) {
  const auto names_it = [](const std::optional<EventPlace>& when) {
    return when && when->state != EventPlace::LockState::any;
  };
  return std::ranges::any_of(
      scenario.faults, [&](const harness::Fault& fault) { return names_it(fault.when) || names_it(fault.until); });
}

void WhoseLock::see(const harness::Event& event) {
  if (event.what == harness::What::attempt) asked_[event.host] = event.at;
  key_.see(event);
}

EventPlace::LockState WhoseLock::at(HostIndex server, HostIndex client, const harness::Life& life, Duration now) const {
  const HostIndex owner = key_.owner(server, now);
  if (owner == harness::no_host) return EventPlace::LockState::free;
  if (owner != client) return EventPlace::LockState::held;
  const auto asked = asked_.find(client);
  const bool acquires = life.phase == Phase::trying && asked != asked_.end() && asked->second <= key_.taken_at(server);
  const bool is_engaged = life.depth > 0 || life.phase == Phase::doubting || life.phase == Phase::leaving || acquires;
  return is_engaged ? EventPlace::LockState::own : EventPlace::LockState::orphan;
}

}  // namespace lockproof::sim
