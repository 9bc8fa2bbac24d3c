// SPDX-License-Identifier: Apache-2.0
// Merges the records of a run's processes into one history: the clients' events as they stamped them, and in between
// the servers' executions, by the servers' stamps, but never before the command was sent nor after its reply came.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "real/record/execution.hpp"

namespace lockproof::real {

/// An event with the number that orders it among all processes.
struct StampedEvent {
  std::uint64_t sequence = 0;
  harness::Event event;
  int port = 0;  // of a `send`: port of the connection that it left on
};

/// The commands that one server ran, in its order: from clients, its master and the supervisor.
struct ServerLog {
  harness::HostIndex server = harness::no_host;
  std::vector<Execution> executions;
  std::map<std::string, StampedEvent> marked{};  // events whose place is that of this mark
  std::map<int, harness::HostIndex> masters{};   // the ports at which it may have reached a master
};

/// The events in order. Executions after `end` are left out: they happened while the run was taken down.
[[nodiscard]] std::vector<harness::Event> merge(std::vector<StampedEvent> events, const std::vector<ServerLog>& logs,
                                                Duration end);

}  // namespace lockproof::real
