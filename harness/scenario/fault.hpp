// SPDX-License-Identifier: Apache-2.0
// Fault: what strikes, whom, where in the run, and how it ends. docs/reference/scenario.md describes each kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/instant.hpp"

namespace lockproof::harness {

/// Where in a run something is placed, by name: "client-1 before DEL #2 round 1", "client-1 enters".
struct EventPlace {
  enum class Moment : std::uint8_t {
    before,  // a client: the command is about to leave, or it is about to do this, see is_act; a server: the command
             // has arrived and is about to run
    after,   // a client: the reply has arrived and is not seen yet; a server: it has run, the reply not yet sent
    enters,
    exits,
    touches,  // a program: it is about to be told to access the resource
  };
  /// Whose the lock is, as the server has it when the event happens.
  enum class LockState : std::uint8_t {
    any,     // not said
    free,    // nobody's
    own,     // the client's
    held,    // another client's
    orphan,  // the client's, which is neither inside nor acquiring nor releasing
  };
  std::string actor;
  Moment moment = Moment::before;
  std::string verb;  // of `before` and `after`; a script's file name
  LockState state = LockState::any;
  std::string client;  // whose command, where the actor is a server; empty: anybody's
  std::string server;  // to which the command goes, where the actor is a client; empty: any
  int occurrence = 1;  // within the round
  int round = 1;
  bool operator==(const EventPlace&) const = default;
};

enum class FaultKind : std::uint8_t {
  pause,              // a host stands still: lasts
  suspend,            // so it does, and its monotonic clock with it: lasts
  crash,              // a client's process is gone
  kill_task,          // a client's worker is gone, its watchdog goes on
  half_open,          // a connection dies silently at a message: reply
  delay,              // a message, and all behind it on its connection, arrive later: reply, by
  resend,             // a command's reply is lost and its driver sends it again: lasts (after this long)
  retry,              // a call times out and its library sends the command again: reply, same_connection
  break_connection,   // a client's connection to a server (peer) ends; both notice
  partition,          // nothing passes between a host and its peer (empty: all others): lasts, direction
  clock_jump,         // a wall clock jumps: by
  clock_rate,         // all clocks of a host run at another rate: rate_ppb, lasts (0: to the end)
  restart,            // a server ends and is up again after `lasts`, with what its persistence kept
  power_cut,          // the same, without a chance to save
  failover,           // a replica (peer) is promoted: old_serves, to_clients
  replication_stall,  // a replica applies nothing: lasts
  evict,              // a server evicts the lock's key
  flush,              // FLUSHALL on a server
  script_flush,       // SCRIPT FLUSH on a server: it forgets the scripts that EVALSHA would name
  client_pause,       // CLIENT PAUSE on a server: lasts, reads_too
  pool_switch,        // a client's pool gives its next command another connection to a server (peer)
};

/// Whether the fault makes a host do nothing for some time, after which it continues.
constexpr bool stands_still(FaultKind kind) { return kind == FaultKind::pause || kind == FaultKind::suspend; }
/// The same by the fault's name, as histories have it.
constexpr bool stands_still(std::string_view fault) { return fault == "pause" || fault == "suspend"; }

struct Fault {
  /// Which way a partition cuts.
  enum class Direction : std::uint8_t { both, to_peer, from_peer };

  FaultKind kind = FaultKind::pause;
  std::string target;                     // the host that it strikes
  std::optional<Duration> at;             // by time since the start …
  std::optional<EventPlace> when;         // … or by event
  Duration delay{};                       // `after`: this long after the event
  Duration lasts{};                       // `for`
  std::optional<Duration> least{};        // of a range in a budget: `lasts`, or `by` of a delay, is the most
  std::optional<EventPlace> until;        // it ends at this event, if that comes before `for` is over …
  Duration longer{};                      // … and lasts so much longer then
  Duration by{};                          // `by`
  bool reply = false;                     // `lose` or `late`: the reply instead of the request, or of nothing
  std::string peer;                       // `peer` or `to`: the other host
  Direction direction = Direction::both;  // `direction`
  std::int64_t rate_ppb = 0;              // `rate`: billionths faster (or slower) than world time
  bool same_connection = false;           // `connection`: of a retry, `same` and not `new`
  std::string session;                    // `session`: of a pool-switch, the client whose it was; empty: a new one
  bool reads_too = false;                 // `mode`: of a client-pause, `all` and not `write`
  bool old_serves = false;                // `old`: the old master goes on serving who does not know of the new one
  std::vector<std::string> to_clients;    // `notified`: the clients that learn of the new master at once; empty: all
  int line = 0;
  bool operator==(const Fault&) const = default;
};

}  // namespace lockproof::harness
