// SPDX-License-Identifier: Apache-2.0
// Event: one line of a history. Simulated and real runs write the same events; checkers and pictures read nothing else.
// Which fields mean something depends on `what`; docs/reference/history.md lists them, and jsonl.cpp writes just those.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/caller.hpp"
#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/lock.hpp"
#include "algorithms/port/result.hpp"

namespace lockproof::harness {

enum class What : std::uint8_t {
  // a client's life
  prepare,         // a round begins with work before the client wants the lock: round
  start,           // it wants the lock: round
  seek,            // it wants another lock, in its work
  attempt,         // try_acquire begins: round, attempt
  granted,         // try_acquire ended with a grant: token, left (to the deadline, its clock), fence, word (unpromised)
  busy,            // … with Busy: left, if the server gave a hint
  failed,          // … with an error: error
  enter,           // the client's work begins: others (measured, real runs only), word (shared)
  exit,            // it has ended, before release is called: word (finished, deadline, loss)
  release,         // release begins
  released,        // it ended: word (yes, not-ours, skipped) or error
  renew,           // a renewal begins
  renewed,         // it ended well
  renewal_failed,  // it ended without an answer: error
  touch_failed,    // a program was told to touch the resource, and cannot: error
  lost,            // it found the lock lost: word (notified, not-notified)
  gave_up,         // acquire_timeout ran out
  finished,        // all rounds done
  died,            // a program ended by itself (value: 0), or broke the protocol (value: 1): word (how)
  // what crosses the ports of a process, in order: its inputs and outputs
  step,    // a task of the process starts a step: word (worker, watchdog)
  read,    // it reads a clock: word (wall, mono, boot), value in microseconds
  draw,    // it draws: word (token, jitter), token or value
  call,    // it calls a server: peer, message, command; word gather: it calls all of them, no peer
  answer,  // the call returns: peer, message, reply or error; word as in the call
  // messages
  send,       // a command leaves: peer, message, command
  execute,    // a server ran it: peer (the client), message, command, reply, effects
  receive,    // the reply reached the client's process: peer, message, reply
  discard,    // … after its call had ended: peer, message, reply
  drop,       // a message was lost: peer, message, word (request, reply)
  time_out,   // the client waited long enough: peer, message
  refused,    // the server did not accept the connection: peer, message
  broken,     // the connection to a server ended, both sides know: peer
  replicate,  // a replica ran a command of its master: peer (the master), command, effects
  copy,       // a master makes a copy of all its keys for a replica: peer (the replica)
  push,       // a message that the client had subscribed to reached its process: peer (the server), word (the channel)
  // faults and the end
  strike,  // a fault strikes this host: fault (its number in the scenario, from 1), word (its kind), value
           // (microseconds), peer (the server that a failover promotes; the host on the other side of a partition, if
           // one). A sentinel's failover or demotion has no fault; the value of a failover is when the sentinel had
           // last heard from the master
  heal,    // the fault is over: fault, word, peer
  unmet,   // a [[step]] of the scenario that the run never reached: word (its event)
  end,     // end of the history: word (finished, horizon)
};

/// Whether an event crosses the ports of a process, as its input or output.
[[nodiscard]] constexpr bool of_ports(What what) { return what >= What::step && what <= What::answer; }

[[nodiscard]] std::string_view name(What what);
[[nodiscard]] std::optional<What> what_named(std::string_view name);

/// What a host's clocks show: the wall clock ticks in milliseconds, the others in microseconds.
struct Readings {
  std::int64_t wall_ms = 0;
  std::int64_t mono_us = 0;
  std::int64_t boot_us = 0;
  bool operator==(const Readings&) const = default;
};

/// A change of a key.
enum class Change : std::uint8_t {
  acquired,  // it was written whole; it has no end until a `renewed` says one
  changed,   // it was written in part, or created by a partial write; its end stays
  renewed,   // it ends when its `ttl` is over; without one it has no end
  released,  // a command removed it
  expired,   // its time to live was over
  evicted,   // the server lost it: an eviction, a flush, a restart, a power cut, a copy of another server's keys
};
[[nodiscard]] std::string_view name(Change change);
[[nodiscard]] std::optional<Change> change_named(std::string_view name);

/// The effect of an event on a key, as reported by the service that stores it. The owner of what is written is the
/// client whose command it was: the event's `peer`.
struct Effect {
  Change change = Change::changed;
  std::string event;  // the service's own word, for people to read; Redis's are those of its keyspace events
  std::string key;
  std::optional<milliseconds> ttl;  // for `renewed`: how long it lives from the event on, by the server's clock
  bool operator==(const Effect&) const = default;
};

/// Time until a deadline, and the clock that it is counted by.
struct TimeLeft {
  Duration time;
  std::string clock;  // wall, mono, boot; none for a hint
  bool operator==(const TimeLeft&) const = default;
};

/// Events from `start` to `gave_up` are about one lock: that of their name.
[[nodiscard]] constexpr bool is_of_lock(What what) { return what >= What::start && what <= What::gave_up; }

inline constexpr const char* shared_entry = "shared";  // the word of an `enter` of a shared client

using HostIndex = int;  // position in the header's list of hosts
inline constexpr HostIndex no_host = -1;

struct Event {
  What what = What::end;
  HostIndex host = no_host;
  Duration at{};    // world time since the start; in real runs scenario time, see the header's speedup
  Readings clocks;  // the host's own, at that instant
  int round = 0;
  int attempt = 0;
  HostIndex peer = no_host;
  int message = 0;  // number of the command between this client and this server, from 1
  int fault = 0;
  std::optional<Command> command;
  std::optional<Reply> reply;
  std::optional<Error> error;
  std::vector<Effect> effects;
  std::optional<Token> token;
  std::optional<std::int64_t> fence;
  std::optional<TimeLeft> left;
  std::optional<std::int64_t> value;
  std::optional<int> others;
  std::string word;
  std::string lock;  // the name of the lock that it is about; empty: the scenario's
  bool operator==(const Event&) const = default;
};

/// Of an `enter`.
[[nodiscard]] inline Mode mode_of(const Event& event) {
  return event.word == shared_entry ? Mode::shared : Mode::exclusive;
}

/// Receives a process's events. The implementation stamps them with the host, the instant and the host's clocks.
class Journal : public PinnedObject {
 public:
  virtual ~Journal() = default;
  virtual void note(Event event) = 0;
};

}  // namespace lockproof::harness
