// SPDX-License-Identifier: Apache-2.0
// FailoverMonitors: processes of a service that watch its servers and decide on failovers by themselves, as Redis
// Sentinel does. The run starts them, passes on their messages at the proxy, and records their decisions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/os/janitor.hpp"

namespace lockproof::real {

class FailoverMonitors : public PinnedObject {
 public:
  /// The environment of the monitors. Hosts are numbered as in the history: clients, servers, the resource; monitors
  /// follow.
  struct Surroundings {
    std::vector<int> ports;  // the servers' ports, as servers and monitors know them
    Proxy& proxy;
    Janitor& janitor;
    EventLoop& loop;
    std::function<bool(harness::HostIndex)> stands_still;  // a fault has paused it
    std::function<bool(harness::HostIndex)> is_down;       // a fault has ended it, and it is not up again
    std::function<void(harness::HostIndex)> copies;        // it follows another master now
    std::function<void(harness::HostIndex, harness::Event)> note;
    /// What the client sends to one master it sends to another one from now on. False: it did before.
    std::function<bool(harness::HostIndex client, harness::HostIndex from, harness::HostIndex to)> lead;
    std::function<void(std::int64_t due_ns, std::int64_t now_ns)> late;
  };

  virtual ~FailoverMonitors() = default;
  virtual void start_processes() = 0;
  /// Whether all of them know of each other, their masters and all replicas. Throws BadEnvironment.
  [[nodiscard]] virtual bool ready() = 0;
  virtual void start(WorldTime time) = 0;
  virtual void kill() = 0;
  [[nodiscard]] virtual bool is_one(harness::HostIndex host) const = 0;
  /// A message of a monitor is at the proxy.
  virtual void passes(const Proxy::Message& message) = 0;
  /// Two servers are, or no longer are, cut off from each other: a monitor on the host of one does not receive from the
  /// other.
  virtual void cut(harness::HostIndex one, harness::HostIndex other, bool on) = 0;
};

}  // namespace lockproof::real
