// SPDX-License-Identifier: Apache-2.0
// Scenario: which lock runs on which servers with which faults, and what should come of it, as plain data.
// docs/reference/scenario.md describes the file; parse.hpp reads it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/port/instant.hpp"
#include "harness/scenario/algorithm_ref.hpp"
#include "harness/scenario/bounds.hpp"
#include "harness/scenario/case_reference.hpp"
#include "harness/scenario/plan.hpp"
#include "harness/scenario/program.hpp"

namespace lockproof::harness {

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
  std::string server{};     // of an ensemble: the one that it is connected to at first; empty: the first one
  Parameters parameters{};  // of the lock, where this client has other values than [algorithm]
  std::map<std::string, std::string> environment{};  // of a program, besides that of [algorithm]
  std::string process{};  // clients with the same one are tasks of one process; empty: a process of its own
  bool operator==(const ClientSpec&) const = default;
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
  Duration unsynced = seconds(1);               // an aof-everysec loses to a power cut what is younger
  int min_replicas_to_write = 0;                // a master with fewer that it hears from refuses writes
  Duration min_replicas_max_lag = seconds(10);  // … heard from within this time
  bool operator==(const ServerSpec&) const = default;
};

/// Watches a master and decides on failovers, as Redis Sentinel does.
struct SentinelSpec {
  std::string master;
  std::string promotes;                 // a replica of it
  Duration down_after = seconds(30);    // it has not heard the master for this long
  Duration demotes_after = seconds(8);  // it has heard the old master again for this long: that becomes a replica
  std::vector<std::string> to_clients;  // `notified`: the clients that learn of the new master at once; empty: all
  int count = 1;                        // of its processes, in real runs
  int quorum = 1;                       // so many of them must agree that the master is down
  bool operator==(const SentinelSpec&) const = default;
};

/// What a scenario says of its service as a whole.
struct ServiceSettings {
  Duration phase{};  // of a service that counts seconds: scenario time of the first tick
  bool operator==(const ServiceSettings&) const = default;
};

enum class OnTimeout : std::uint8_t {
  reconnect,  // the driver closes the connection and opens another; commands in flight on the old one may still run
  discard,    // it keeps the connection and throws the late reply away
};

/// On which accesses the resource checks and remembers the fencing token.
enum class Fencing : std::uint8_t { none, writes, all };

/// What the resource remembers of the work that was done.
enum class Marker : std::uint8_t {
  none,
  period,  // which period was claimed last: a client asks for its own before it enters
};

struct Network {
  Window latency{milliseconds(1), milliseconds(1)};      // one way
  Window replication{milliseconds(1), milliseconds(1)};  // from a master's command to its replica's
  Duration timeout = seconds(2);                         // of a call, by the client's monotonic clock
  OnTimeout on_timeout = OnTimeout::reconnect;
  bool operator==(const Network&) const = default;
};

/// One named event of a schedule. The order of the steps is the order of events that happen at one instant; `takes`
/// fixes a message's latency or a draw.
struct EventName {
  enum class Kind : std::uint8_t {
    message,   // "client-1 -> redis-1 SETNX": its arrival
    timer,     // "client-1 worker", "client-1 watchdog", "client-1 news": the end of a wait for a message;
               // "redis-1 unblocks": WAIT has waited long enough, or CLIENT PAUSE is over; "redis-1 replaced",
               // "redis-1 demoted": a sentinel decides; "zookeeper-1 elects": an ensemble does
    serve,     // "postgres-1 serves client-1 take-row": what waited at a paused server runs
    time_out,  // "client-1 time-out redis-1 SETNX"
    resend,    // "client-1 resends redis-1 SETNX"
    jitter,    // "client-1 jitter"
    ask,  // "client-1 asks #2": an attempt whose instant is written down, with `at`; the number is counted in its round
    fault,  // "fault": strikes by time
    heal,   // "heal": its end
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
  std::optional<Duration> at{};  // of an ask, after the scenario's beginning
  int line = 0;
  bool operator==(const Step&) const = default;
};

/// What is expected of one property: a verdict's word ("holds", "no-violation", "violated", "unknown") or a kind of
/// violation ("double-grant", "outlived"). Properties that are not named are expected not to be found broken.
using Expectations = std::map<std::string, std::string, std::less<>>;

/// What is not said of a world is not compared there; check::expected_of has the exception.
struct Expect {
  std::optional<Expectations> run, explore, real;
  std::optional<std::string> liveness;  // of a search for schedules in which a client never gets the lock
  [[nodiscard]] bool empty() const { return !run && !explore && !real && !liveness; }
  bool operator==(const Expect&) const = default;
};

struct Scenario {
  std::string file;    // the path
  std::string called;  // the same as the command line says it: the path, or a name of the catalogue
  std::string text;    // the TOML itself
  std::string name;    // the file's name without folder and ending
  std::string title;
  std::string source;
  std::optional<CaseReference> documented;  // [case]
  AlgorithmRef algorithm;
  Parameters parameters;
  std::optional<ProgramSpec> program;  // the lock, if it is a program of its own
  std::string lock = "lock";           // the name of the lock, which is its key
  std::vector<ClientSpec> clients;
  std::vector<ServerSpec> servers;
  bool ensemble = false;  // the servers keep one log together, and a client is connected to one of them
  ServiceSettings service;
  std::vector<SentinelSpec> sentinels;
  Fencing fencing = Fencing::none;
  Marker marker = Marker::none;
  Network network;
  std::vector<Fault> faults;
  std::vector<Step> steps;
  Expect expect;
  std::optional<Bounds> explore;      // what a search may vary
  Duration horizon = seconds(120);    // the run ends here at the latest
  Duration grid = milliseconds(1);    // windows are tried at multiples of this
  std::optional<Duration> takeover;   // bound of bounded-takeover
  std::optional<Duration> progress;   // bound of deadlock-freedom and fault-tolerance
  std::optional<Duration> waiting;    // bound of starvation-freedom
  std::optional<Duration> notice;     // bound of loss-notification
  std::optional<Duration> available;  // bound of availability
  std::optional<Duration> answers;    // bound of answers
  std::optional<Duration> entry;      // bound of every-round-enters
  std::optional<Duration> settled;    // bound of leadership-settles
  std::optional<Duration> early;      // bound of hand-over-cause
  std::optional<Duration> period;     // of the clients' work: round k is period k
  std::uint64_t seed = 1;
  std::int64_t speedup = 20;                       // real runs: scenario seconds per second
  Contention contention = Contention::as_written;  // of a search: see sim::bounded

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
  /// Whether one of these servers may come to be the other one's replica: a master and its replicas may. All servers of
  /// an ensemble replicate together.
  [[nodiscard]] bool replicate_together(std::string_view one, std::string_view other) const {
    const auto group = [this](std::string_view member) {
      for (const ServerSpec& server : servers) {
        if (server.name == member && !server.replica_of.empty()) return std::string_view(server.replica_of);
      }
      return member;
    };
    return one != other && (ensemble || group(one) == group(other));
  }
  /// The name of the lock that a client's rounds take.
  [[nodiscard]] const std::string& lock_of(const ClientSpec& client) const {
    return client.plan.lock.empty() ? lock : client.plan.lock;
  }
  /// The names of the locks that it takes, that of its rounds first.
  [[nodiscard]] std::vector<std::string> locks_of(const ClientSpec& client) const;
  /// Those of all clients.
  [[nodiscard]] std::vector<std::string> locks() const;
  [[nodiscard]] bool has_several_locks() const {
    return std::ranges::any_of(
        clients, [](const ClientSpec& client) { return !client.plan.lock.empty() || client.plan.takes_other_locks(); });
  }
  /// So many clients may be inside the lock at once: its parameter of this name.
  [[nodiscard]] int permits() const {
    if (program) return program->permits;
    const auto set = parameters.find("permits");
    const auto counts = [](const Parameter& p) { return p.name == "permits" && p.counts; };
    const bool is_set = set != parameters.end() && std::ranges::any_of(algorithm->parameters, counts);
    return is_set ? static_cast<int>(set->second.count()) : 1;
  }
  /// The clients in the process of this one, itself included, in their order.
  [[nodiscard]] std::vector<std::size_t> process_of(std::size_t client) const {
    std::vector<std::size_t> tasks;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const bool together = !clients[i].process.empty() && clients[i].process == clients.at(client).process;
      if (i == client || together) tasks.push_back(i);
    }
    return tasks;
  }
  /// Whether several clients are tasks of one process.
  [[nodiscard]] bool shares_processes() const {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (process_of(i).size() > 1) return true;
    }
    return false;
  }
  /// Whether the lock may have several holders at once: readers, or those of its permits.
  [[nodiscard]] bool has_several_holders() const {
    return permits() > 1 || std::ranges::any_of(clients, &Plan::shares, &ClientSpec::plan);
  }
  bool operator==(const Scenario&) const = default;
};

/// What a lease leaves beside the work and its messages, of the client that has the least. Negative: the work takes
/// longer. Whether the lock's lease ends while its holder works is not asked. Requires clients and an algorithm.
[[nodiscard]] Duration lease_beside_work(const Scenario& scenario, const Window& latency);

}  // namespace lockproof::harness
