// SPDX-License-Identifier: Apache-2.0
// Server: a simulated server as the world keeps it: its model, its clocks, and what waits there. A Sentinel watches a
// master, and an Ensemble is what several servers are together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/faults/triggers.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/world/clocks.hpp"
#include "sim/world/connection.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim {

struct Server {
  std::string name;
  std::unique_ptr<ServiceModel> model;
  HostClocks clocks;
  harness::Triggers triggers;
  int pauses = 0;  // number of pauses that are active: they may overlap
  struct UnreadRequest {
    Connection* connection;
    Message request;
    bool announced;  // its `before` has happened
  };
  std::vector<UnreadRequest> inbox{};                      // requests that arrived during a pause, or behind these
  std::vector<std::pair<Connection*, Message>> outbox{};   // replies that a pause holds back
  std::vector<UnreadRequest> held{};                       // requests that CLIENT PAUSE postponed, and later ones
  std::vector<std::pair<Connection*, Message>> waiting{};  // WAITs without a reply so far
  bool down = false;                                       // it refuses connections
  harness::HostIndex master = harness::no_host;            // if this is a replica
  Line replication{};                                      // from the master: commands that are not applied yet
  Line words{};                                            // to the master: what the replica reports
  bool linked = false;                                     // the master sends it the commands that it runs
  std::optional<Duration> silent{};                        // since when the master has not heard from it, as of the
                                                           // last event: see World::silent_since
  int replicated = 0, said = 0;                            // commands sent to it, and reports that it has sent
  std::vector<Command> unsent{};                           // commands for its replicas, from the one that runs now
  // Of an ensemble.
  Standing standing = Standing::leads;
  std::optional<Duration> apart_since{};
  int epoch = 0;  // of the leader that it knows

  [[nodiscard]] ServerTime time(Duration now) const {
    const harness::Readings shown = clocks.at(now);
    return {shown.wall_ms, shown.mono_us, now};
  }
  /// The replication interface of a master or a replica: the parser refuses replicas of a service that has none.
  [[nodiscard]] ReplicatedModel& as_replicated() const;
  [[nodiscard]] EnsembleModel& as_member() const;
};

/// Watches a master, see harness::SentinelSpec.
struct Sentinel {
  const harness::SentinelSpec* spec;
  harness::HostIndex master, other;  // the current master, and the server that is promoted next
  bool demotes = false;              // it has promoted: the old master still acts as a master
  std::optional<Duration> since{};   // as of the last event, see World::waits_since: it does not hear the master, or,
                                     // as it demotes, hears it again

  [[nodiscard]] Duration after() const { return demotes ? spec->demotes_after : spec->down_after; }
};

/// Who leads the servers of an ensemble, and when who leads or follows may change by itself.
struct Ensemble {
  harness::HostIndex leader = harness::no_host;
  int epoch = 0;  // grows with each election
  std::optional<Duration> looks{};
};

}  // namespace lockproof::sim
