// SPDX-License-Identifier: Apache-2.0
// Services: what a scenario may say of each kind of server, one row each. What a service does stands elsewhere, a
// folder each: algorithms/, sim/services/, real/services/, conformance/.
#pragma once

#include <span>
#include <string_view>

#include "algorithms/port/service.hpp"
#include "harness/scenario/fault.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

struct ServiceRow {
  Service service;
  std::string_view name;                  // the key under [servers], and what its hosts' names begin with: "redis-1"
  bool programs = false;                  // programs of their own may be its clients, in real runs
  bool replicates = false;                // [[server]] replica_of, [[sentinel]], and what is said of replicas
  bool persists = false;                  // [[server]] persistence
  bool outlives = false;                  // what is committed there outlives its process, whatever ends that
  bool ensembles = false;                 // several of its servers are one ensemble
  bool ticks = false;                     // [service] phase: it counts the time of leases in seconds of its own
  bool of_connections = false;            // what is locked there may belong to a connection, and ends with it
  bool sessions = false;                  // clients have sessions there, which refused attempts leave, too
  std::string_view lease_clock = "wall";  // of its servers' hosts, by which leases end; "mono": the monotonic one
  bool counts_all = false;                // each change there, and each lease, has a number: no state comes back
  std::int64_t speedup = 20;              // of real runs, if the scenario gives none
  std::string_view simulated_only = {};   // why real runs cannot start servers of it, as a sentence; empty: they can
  std::span<const FaultKind> lacks = {};  // the kinds of faults that its servers cannot have
};

[[nodiscard]] std::span<const ServiceRow> services();
[[nodiscard]] const ServiceRow& row_of(Service service);

/// Whether this service's servers and their clients can have this kind of fault.
[[nodiscard]] bool can_have(const ServiceRow& service, FaultKind kind);
/// … and these clients: a program is one process, and has no task that could end alone.
[[nodiscard]] bool can_have(const Scenario& scenario, FaultKind kind);

/// Why no real servers can be started for this scenario, as a sentence; empty: they can.
[[nodiscard]] std::string_view simulated_only(const Scenario& scenario);

/// How many scenario seconds a second of a real run has, if the scenario does not say.
[[nodiscard]] std::int64_t standard_speedup(const Scenario& scenario);

/// ZooKeeper's tickTime in this scenario: its default of 2 s, or a quarter of the shortest session if that is less, so
/// that a server grants every time-out that the scenario asks for.
[[nodiscard]] milliseconds tick_of(const Scenario& scenario);

/// ZooKeeper's syncLimit, in ticks, as in its example.
inline constexpr int sync_limit = 5;

/// For how long a server of an ensemble waits for its leader, and a leader for its majority, before it serves nobody.
[[nodiscard]] Duration sync_timeout_of(const Scenario& scenario);

}  // namespace lockproof::harness
