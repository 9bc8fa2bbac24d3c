// SPDX-License-Identifier: Apache-2.0
// Lock: an algorithm's operations, as single steps. It has no loops over time and never sleeps: the harness
// (harness/workload) retries, works, renews and gives up, in the same way for every lock, in simulation and on real
// servers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/port/caller.hpp"
#include "algorithms/port/clock.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/random.hpp"
#include "algorithms/port/result.hpp"
#include "algorithms/port/store.hpp"
#include "algorithms/port/task.hpp"
#include "algorithms/port/value.hpp"

namespace lockproof {

enum class Pace : std::uint8_t {
  fixed_rate,
  fixed_delay
};  // period counted from the planned instant, or from the reply
enum class OnFailure : std::uint8_t { stop, retry };

/// How the watchdog of a grant renews it. There is one watchdog for each client and name.
struct Renewal {
  Duration first;   // from the grant to the first renewal
  Duration period;  // between renewals
  Pace pace;
  OnFailure on_failure;  // what a renewal without a reply does to the later ones
  bool tells_loss;       // whether the holder is notified of a loss
  bool operator==(const Renewal&) const = default;
};

/// The lock was given. It never releases in a destructor: a crashed client does not release.
class Grant {
 public:
  Grant(Name lock, Token owner, Deadline until = {}, std::optional<Renewal> kept_by = {})
      : name(std::move(lock)), token(std::move(owner)), deadline(until), renewal(kept_by) {}

  Name name;
  Token token;        // the value that the server stores for this holder
  Deadline deadline;  // the instant up to which the algorithm promises the lock
  std::optional<Renewal> renewal;
  std::optional<std::int64_t> fence;  // fencing token: grows with every grant of this lock
  bool operator==(const Grant&) const = default;
};

/// Another client has it. When it will be free, if the server said so, is a hint for `wait`, never for a decision.
struct Busy {
  std::optional<Duration> retry_after;
  bool operator==(const Busy&) const = default;
};

/// No answer, or an invalid one. After an indefinite error the lock may be held for this client, now or later.
class Failure {
 public:
  Failure(Error why, std::optional<Grant> what_may_be_held = {}, bool whatever_the_error = false)
      : error(why), held(std::move(what_may_be_held)), may_hold(held && (whatever_the_error || !definite(error))) {}

  Error error;
  std::optional<Grant> held;  // the grant to release it with; nothing: the algorithm has cleaned up, as far as it can
  bool may_hold;              // the lock may be held by it: after a definite error only if the algorithm says so
  bool operator==(const Failure&) const = default;
};

using Attempt = std::variant<Grant, Busy, Failure>;

enum class ReleaseResult : std::uint8_t {
  yes,
  not_ours,  // another client's, or gone
  skipped,   // the algorithm decided not to ask the server
};

struct Retry {  // the delay before the next attempt; drawn from [least, most]
  Duration least, most;
};

/// All state that a lock keeps between calls, as one comparable value.
using State = std::vector<std::variant<bool, std::int64_t, Value, Wall, Mono, Boot>>;

class Lock : public PinnedObject {
 public:
  virtual ~Lock() = default;

  /// Of a lock object that several clients use: what it does next, up to its next wait, is for this one. Its mode is
  /// that of its round.
  virtual void turn_to(const Caller& /*caller*/) {}
  /// The attempts at this name that follow are of this round of the client, and are counted from 1. It wants the lock
  /// in this mode until it has released it.
  virtual void begin_attempts(const Name& /*name*/, int /*round*/, Mode /*mode*/) {}
  /// One attempt. `lease`: the lease that the caller wants; nothing: the algorithm's own default.
  virtual Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) = 0;
  virtual Task<Result<ReleaseResult>> release(Grant grant) = 0;
  /// The renewed grant, its deadline moved; nothing: the lock was lost.
  virtual Task<Result<std::optional<Grant>>> renew(Grant) { co_return Error::unsupported; }
  /// Of a lock that is a program of its own: it is about to access the resource. False: it knows that the lock is lost.
  virtual Task<Result<bool>> touch(Grant) { co_return Error::unsupported; }
  /// Waits for news of a release, at most until `until`. False: this lock has none, use the retry delay.
  virtual Task<bool> wait(Name, Busy, Mono /*until*/) { co_return false; }
  [[nodiscard]] virtual Retry retry() const = 0;
  [[nodiscard]] virtual State state() const { return {}; }
};

/// The dependencies of an algorithm. Passed by value; every object that it refers to is pinned.
struct Ports {
  Stores& servers;
  Clock& clock;
  Random& random;
  Caller caller{};
};

}  // namespace lockproof
