// SPDX-License-Identifier: Apache-2.0
// Life: where a client is between two steps. A plain value: all that the client keeps, so that two clients with equal
// lives (and equal locks, see Lock::state) behave alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/lock.hpp"

namespace lockproof::harness {

enum class Phase : std::uint8_t {
  resting,    // before a round
  preparing,  // in a round, before it wants the lock
  trying,     // about to attempt
  waiting,    // between attempts
  claiming,   // has the lock, about to ask the resource for its period
  inside,     // in the critical section
  doubting,   // after an attempt without an answer: about to release what may be held
  leaving,    // out of the critical section, about to release
  wanting,    // between attempts, or before the first one: asks when the world lets it
  done,       // with all rounds
  gave_up,
};

/// A lock that a client takes in its work, besides that of its rounds.
struct OtherLock {
  std::string name;
  std::optional<Grant> grant{};  // nothing: it wants the lock
  bool notified_of_loss = false;
  std::optional<Mono> watchdog_due{};
  int releases = 0;  // that failed; then it is outside, and tries again
  bool operator==(const OtherLock&) const = default;
};

struct Life {
  Phase phase = Phase::resting;
  int round = 0;                     // the current one, from 1
  int attempts = 0;                  // in this round, where the plan limits them
  std::size_t work_done = 0;         // steps of the work that are done, or of what comes before it
  std::optional<std::int64_t> base;  // version of the resource read last
  Busy busy;                         // what the last attempt said
  std::optional<Mono> give_up;       // when acquire_timeout ends; nothing: never
  std::optional<Mono> attempt_end;   // when its caller ends the attempt that is under way; nothing: never
  std::optional<Mono> worker_due;    // when the worker acts next
  std::optional<Wall> next_period;   // when it begins its next round, where those begin by its wall clock
  std::optional<Mono> watchdog_due;
  std::optional<Grant> grant;
  int depth = 0;               // how often it holds the lock
  int releases = 0;            // releases that failed since the last successful one
  std::optional<Grant> doubt;  // what it may hold without knowing
  bool notified_of_loss = false;
  bool failed = false;              // whether its last attempt failed; kept only for clients that ask at any instant
  std::vector<OtherLock> others{};  // in the order in which it took them; only the last one may be wanted

  /// When the worker acts next, if it waits for a period.
  [[nodiscard]] std::optional<Wall> period_due() const { return phase == Phase::resting ? next_period : std::nullopt; }
  /// Whether it has the lock and is not about to release it.
  [[nodiscard]] bool holds() const { return depth > 0 && phase != Phase::leaving; }
  /// Whether it is in the critical section, perhaps acquiring the lock once more.
  [[nodiscard]] bool inside() const { return holds() && phase != Phase::claiming; }
  /// Whether the lock that it wants is another one than that of its rounds.
  [[nodiscard]] bool seeks_other() const { return !others.empty() && !others.back().grant; }
  /// When its watchdog acts next, for whichever lock.
  [[nodiscard]] std::optional<Mono> next_watchdog() const {
    std::optional<Mono> next = watchdog_due;
    for (const OtherLock& other : others) {
      if (other.watchdog_due && (!next || *other.watchdog_due < *next)) next = other.watchdog_due;
    }
    return next;
  }
  /// What an attempt waits for ends with it, and then it sends nothing more.
  [[nodiscard]] Mono within_attempt(Mono until) const { return attempt_end ? std::min(until, *attempt_end) : until; }
  [[nodiscard]] bool may_send(Mono now) const { return !attempt_end || now < *attempt_end; }
  /// Whether it waits until the world lets it ask.
  [[nodiscard]] bool wants() const { return phase == Phase::wanting; }
  /// Whether an attempt is in progress or it has the lock.
  [[nodiscard]] bool interested() const { return holds() || (phase == Phase::trying && !worker_due); }
  bool operator==(const Life&) const = default;
};

}  // namespace lockproof::harness
