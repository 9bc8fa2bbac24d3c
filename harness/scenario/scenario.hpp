// SPDX-License-Identifier: Apache-2.0
// Scenario: which lock runs on which servers with which faults, and what should come of it, as plain data.
// docs/reference/scenario.md describes the file; parse.hpp reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/port/instant.hpp"
#include "harness/workload/plan.hpp"

namespace lockproof::harness {

/// A duration between two bounds, both included. Equal bounds leave nothing to choose.
struct Window {
  Duration least{}, most{};
  bool operator==(const Window&) const = default;
};

/// How a host's clocks differ from world time at the start.
struct ClockSpec {
  Duration wall{};  // whole milliseconds ahead of world time; negative: behind
  Duration mono{};
  bool operator==(const ClockSpec&) const = default;
};

struct ClientSpec {
  std::string name;
  ClockSpec clock;
  Plan plan;
};

/// What a server keeps on disk, and so what a restart or a power cut loses.
enum class Persistence : std::uint8_t {
  none,          // starts empty
  rdb,           // a restart by its operator saves first; a power cut loses all since the start
  aof_everysec,  // a restart keeps all; a power cut loses the last second
  aof_always,    // nothing is lost
};

struct ServerSpec {
  std::string name;
  ClockSpec clock;
  std::string replica_of;  // a server's name; empty: a master, which clients talk to
  Persistence persistence = Persistence::none;
};

enum class OnTimeout : std::uint8_t {
  reconnect,  // the driver closes the connection and opens another; commands in flight on the old one may still run
  discard,    // it keeps the connection and throws the late reply away
};

/// On which accesses the resource checks and remembers the fencing token.
enum class Fencing : std::uint8_t { none, writes, all };

struct Network {
  Window latency{milliseconds(1), milliseconds(1)};      // one way
  Window replication{milliseconds(1), milliseconds(1)};  // from a master's command to its replica's
  Duration timeout = seconds(2);                         // of a call, by the client's monotonic clock
  OnTimeout on_timeout = OnTimeout::reconnect;
};

/// Where in a run something is placed, by name: "client-1 before DEL #2 round 1", "client-1 enters".
struct When {
  enum class Moment : std::uint8_t {
    before,  // a client: the command is about to leave; a server: it has arrived and is about to run
    after,   // a client: the reply has arrived and is not seen yet; a server: it has run, the reply not yet sent
    enters,
    exits,
  };
  std::string actor;
  Moment moment = Moment::before;
  std::string verb;    // of `before` and `after`; a script's file name
  std::string client;  // whose command, where the actor is a server; empty: anybody's
  int occurrence = 1;  // within the round
  int round = 1;
  bool operator==(const When&) const = default;
};

enum class FaultKind : std::uint8_t {
  pause,              // a host stands still: lasts
  crash,              // a client's process is gone
  kill_task,          // a client's worker is gone, its watchdog goes on
  drop,               // a connection dies silently at a message: reply
  delay,              // a message, and all behind it on its connection, arrive later: by
  resend,             // a command's reply is lost and its driver sends it again: lasts (after this long)
  break_connection,   // a client's connection to a server (peer) ends; both notice
  partition,          // nothing passes between a host and its peer (empty: all others): lasts, way
  clock_jump,         // a wall clock jumps: by
  clock_rate,         // all clocks of a host run at another rate: rate_ppb, lasts (0: to the end)
  restart,            // a server ends and is up again after `lasts`, with what its persistence kept
  power_cut,          // the same, without a chance to save
  failover,           // a replica (peer) is promoted: old_serves, to_clients
  replication_stall,  // a replica applies nothing: lasts
  evict,              // a server evicts the lock's key
  flush,              // FLUSHALL on a server
};

struct Fault {
  /// Which way a partition cuts.
  enum class Way : std::uint8_t { both, to_peer, from_peer };

  FaultKind kind = FaultKind::pause;
  std::string target;                   // the host that it strikes
  std::optional<Duration> at;           // by time since the start …
  std::optional<When> when;             // … or by event
  Duration delay{};                     // `after`: this long after the event
  Duration lasts{};                     // `for`
  Duration by{};                        // `by`
  bool reply = false;                   // `lose`: the reply instead of the request
  std::string peer;                     // `peer` or `to`: the other host
  Way way = Way::both;                  // `way`
  std::int64_t rate_ppb = 0;            // `rate`: billionths faster (or slower) than world time
  bool old_serves = false;              // `old`: the old master goes on serving who does not know of the new one
  std::vector<std::string> to_clients;  // `told`: the clients that learn of the new master at once; empty: all
  int line = 0;
};

/// One named event of a schedule. The order of the steps is the order of events that happen at one instant; `takes`
/// fixes a message's latency or a draw.
struct EventName {
  enum class Kind : std::uint8_t {
    message,   // "client-1 -> redis-1 SETNX": its arrival
    timer,     // "client-1 worker", "client-1 watchdog", "client-1 news": the end of a wait for a message
    time_out,  // "client-1 time-out redis-1 SETNX"
    resend,    // "client-1 resends redis-1 SETNX"
    jitter,    // "client-1 jitter"
    fault,     // "fault": strikes by time
    heal,      // "heal": its end
  };
  Kind kind = Kind::message;
  std::string actor;  // who sends, or whose timer
  std::string peer;   // who receives
  std::string verb;   // command, or task
  int occurrence = 1;
  int round = 1;
  bool operator==(const EventName&) const = default;
};

struct Step {
  EventName event;
  std::optional<Duration> takes;
  int line = 0;
};

/// What is expected of one property: a verdict's word ("holds", "not-found", "violated", "unknown") or a kind of
/// violation ("double-grant", "outlived"). Properties that are not named are expected to hold as far as was looked.
using Expectations = std::map<std::string, std::string, std::less<>>;

struct Expect {
  std::optional<Expectations> run, explore, real;
};

struct Scenario {
  std::string file;  // as given
  std::string text;  // the TOML itself
  std::string name;  // the file's name without folder and ending
  std::string title;
  std::string source;
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
  std::string lock = "lock";  // the name of the lock, which is its key
  std::vector<ClientSpec> clients;
  std::vector<ServerSpec> servers;
  Fencing fencing = Fencing::none;
  Network network;
  std::vector<Fault> faults;
  std::vector<Step> steps;
  Expect expect;
  Duration horizon = seconds(120);   // the run ends here at the latest
  Duration grid = milliseconds(1);   // windows are tried at multiples of this
  std::optional<Duration> takeover;  // bound of bounded-takeover
  std::uint64_t seed = 1;
  std::int64_t scale = 20;  // real runs: scenario seconds per second

  [[nodiscard]] std::vector<std::string> host_names(bool with_clients, bool with_servers) const {
    std::vector<std::string> names;
    if (with_clients) {
      for (const ClientSpec& client : clients) names.push_back(client.name);
    }
    if (with_servers) {
      for (const ServerSpec& server : servers) names.push_back(server.name);
    }
    return names;
  }
};

}  // namespace lockproof::harness
