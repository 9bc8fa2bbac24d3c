// SPDX-License-Identifier: Apache-2.0
// Plan: what one client does with the lock, as data.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/caller.hpp"
#include "algorithms/port/instant.hpp"

namespace lockproof::harness {

/// One step of the work inside the critical section.
struct Work {
  enum class Kind : std::uint8_t {
    hold,     // compute for `lasts`
    read,     // read the protected resource: the version found is the base of later writes
    write,    // write to it, based on the version read last
    acquire,  // the same lock once more, or another one
    release,  // what was acquired last, and go on working
    touch,    // a program: access the resource
    extend,   // a program: prolong the lease
  };
  Kind kind = Kind::hold;
  Duration lasts{};
  std::string lock{};  // the other lock's name; empty: the client's own
  bool operator==(const Work&) const = default;
};

/// What makes a client leave before its work is done.
enum class StopOn : std::uint8_t {
  nothing,
  deadline,  // the grant's deadline, looked at before each step of the work
  loss,      // the notification that the lock was lost
};

/// When a client opens its connections to the servers.
enum class ConnectTime : std::uint8_t { at_start, at_first_attempt };

/// What a client does after an attempt that ended with an error, so that it may hold the lock without knowing.
enum class OnError : std::uint8_t {
  retry,
  give_up,
  release,  // what it may hold, once, whatever comes of it; then it tries again
};

/// What decides when a client that wants the lock asks for it.
enum class AskPolicy : std::uint8_t {
  polls,   // the file: at `start`, and `retry` after each refusal
  freely,  // the world: at any instant from `start` on, or never. `retry` and acquire_timeout have no part in it
  polls_or_sooner,  // the world, but at the latest `retry` after it began to want the lock
};

/// Whether a client that takes several locks has a lock object for each, or one for all.
enum class LockObject : std::uint8_t { for_each, one };

/// So many attempts that count it makes in one round, where nothing limits them: see docs/semantics/asking.md.
constexpr int attempts_of_who_asks_freely = 2;

/// One attempt whose instant is written down: a [[step]] "client-1 asks #2 round 1" with its `at`.
struct PlannedAsk {
  int round = 1, number = 1;  // which attempt of which round
  Duration at{};              // after the scenario's beginning, by the client's monotonic clock
  bool operator==(const PlannedAsk&) const = default;
};

/// Rounds that do not end. They are not counted in the state of a client.
constexpr int rounds_for_ever = INT_MAX;
/// What a wall clock without an offset shows as the scenario begins, in both worlds: 2023-11-14 22:13:20 UTC.
constexpr milliseconds epoch{1'700'000'000'000};
/// Patience that does not end.
constexpr Duration for_ever{std::int64_t{1} << 59};

struct Plan {
  Duration start{};                           // after the scenario's beginning
  std::optional<Duration> start_latest{};     // of who asks freely: its first attempt, at the latest
  int rounds = 1;                             // or for ever
  std::optional<milliseconds> lease;          // asked for; nothing: the algorithm's default
  Duration acquire_timeout = seconds(60);     // for one round's lock, by the monotonic clock; or for ever
  std::optional<Duration> attempt_timeout{};  // of one attempt, which its caller ends then; nothing: the lock's own
  std::optional<int> attempts;                // so many in one round at most; then acquire_timeout has no end
  std::optional<Duration> retry;              // between two attempts; nothing: the algorithm's own delay
  Duration think_time{};                      // between two rounds
  std::string lock{};                         // the name of the lock that its rounds take; empty: the scenario's
  std::vector<Work> before;                   // what it does in a round before it wants the lock: hold, read
  std::vector<Work> work{{Work::Kind::hold, seconds(1)}};
  std::vector<Mode> modes{Mode::exclusive};  // of its rounds; the last one is that of all later ones
  LockObject lock_object = LockObject::for_each;
  StopOn stop_on = StopOn::nothing;
  ConnectTime connect = ConnectTime::at_start;
  OnError on_error = OnError::retry;
  int release_tries = 1;  // how often it calls release, as long as that ends with an error; 0: it leaves the lock
  std::optional<Duration> period{};  // round k is period k, and begins by the client's own wall clock
  bool claims = false;               // it asks the resource for the period before it enters
  AskPolicy asking = AskPolicy::polls;
  bool counts_refusals = true;  // against `attempts`; who asks freely counts only what may have left something behind
  std::optional<int> failed_attempts{};  // of who asks freely, instead of `attempts`
  std::vector<PlannedAsk> asks{};

  [[nodiscard]] Mode mode_in(int round) const {
    return modes[std::min(modes.size(), static_cast<std::size_t>(std::max(round, 1))) - 1];
  }
  [[nodiscard]] bool shares_in(int round) const { return mode_in(round) == Mode::shared; }
  /// In some round.
  [[nodiscard]] bool shares() const { return std::ranges::find(modes, Mode::shared) != modes.end(); }
  [[nodiscard]] bool takes_other_locks() const {
    return std::ranges::any_of(work, [](const Work& step) { return !step.lock.empty(); });
  }
  /// How many attempts of one round may count; nothing: as many as acquire_timeout has room for.
  [[nodiscard]] std::optional<int> attempts_most() const {
    if (asking != AskPolicy::freely) return attempts;
    return failed_attempts ? failed_attempts : attempts.value_or(attempts_of_who_asks_freely);
  }

  /// When the client's own wall clock shows that a period begins. They are counted from 1.
  [[nodiscard]] Wall beginning_of(int number) const {
    return InstantAccess::make<Wall>((Duration(epoch) + start + *period * number).count());
  }
  bool operator==(const Plan&) const = default;
};

}  // namespace lockproof::harness
