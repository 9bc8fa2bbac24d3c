// SPDX-License-Identifier: Apache-2.0
// FaultDriver: the supervisor's hand in the faults. It strikes those that are placed by time, those that a client asks
// for at one of its events, and ends all pauses, also those that clients begin themselves.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/child_process.hpp"
#include "real/clock_page.hpp"
#include "real/event_loop.hpp"
#include "real/world_time.hpp"

namespace lockproof::real {

/// A host that faults can strike.
struct Target {
  std::string name;
  ChildProcess& process;
  ClockPage* clock;                          // of a server
  std::atomic<std::int64_t>* wall_jumped_us;  // of a client
  int pauses = 0;                            // that hold it now
  bool stops_itself = false;                 // it has said so, and has not said yet that it goes on
  bool crashed = false;                      // by a fault
};

class FaultDriver : public Pinned {
 public:
  using Note = std::function<void(harness::HostIndex, harness::Event)>;

  /// `targets`: the hosts in the order of the header, the resource left out.
  FaultDriver(EventLoop& loop, const harness::Scenario& scenario, std::vector<Target> targets, Note note)
      : loop_(loop), scenario_(scenario), targets_(std::move(targets)), note_(std::move(note)) {}

  /// The scenario starts: plans the faults that are placed by time.
  void start(WorldTime time);
  /// Strikes now, or at a later scenario instant.
  void provoke(std::size_t fault, Duration when);
  /// A client stops itself, until then; and goes on again.
  void stops_itself(harness::HostIndex client, Duration until);
  void woke(harness::HostIndex client);
  /// A client kills itself.
  void crashes(harness::HostIndex client) { target(client).crashed = true; }

  [[nodiscard]] bool crashed(harness::HostIndex host) { return target(host).crashed; }

 private:
  [[nodiscard]] Target& target(harness::HostIndex host) { return targets_.at(static_cast<std::size_t>(host)); }
  void at(Duration when, std::function<void()> act);
  void strike(std::size_t fault);
  void heal(std::size_t fault, harness::HostIndex host);
  void end_own_pause(harness::HostIndex client);

  EventLoop& loop_;
  const harness::Scenario& scenario_;
  std::vector<Target> targets_;
  const Note note_;
  WorldTime time_{0, 1};
  std::vector<std::unique_ptr<EventLoop::Timer>> timers_;
};

}  // namespace lockproof::real
