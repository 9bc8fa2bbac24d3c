// SPDX-License-Identifier: Apache-2.0
// Client: the loop around a lock, the same for every lock and in both worlds. It is driven from outside: a world looks
// at `life()`, starts `worker_step` or `watchdog_step` when it is due, and resumes what they wait for. Between steps
// nothing lives but the Life and the lock's canonical state.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "algorithms/port/lock.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/plan.hpp"
#include "harness/workload/life.hpp"
#include "harness/workload/moments.hpp"

namespace lockproof::harness {

class Client : public PinnedObject {
 public:
  /// `journal` may be null: then nothing is written. `moments` may be null: then no fault is placed before it enters or
  /// exits. All references must outlive the client. `name`: of the scenario's lock; the plan may name another one.
  Client(Lock& lock, Name name, Ports ports, Store& resource, Plan plan, Journal* journal, Moments* moments = nullptr);

  [[nodiscard]] const Life& life() const { return life_; }
  /// Both require that the due instant has come and that no step of the same task is in flight.
  Task<void> worker_step();
  Task<void> watchdog_step();
  /// Lets the client make an attempt in its next step, which is due now. Requires that it wants the lock.
  void ask();
  /// Which attempt of its round would be the next one, from 1.
  [[nodiscard]] int next_attempt() const { return made_ + 1; }
  /// Whether its next step is an attempt whose instant the plan states.
  [[nodiscard]] bool follows_plan() const { return follows_plan_; }
  /// Whether it has just begun to want the lock, or wants it again after an error: once for each time.
  bool begins_to_want() { return std::exchange(begins_to_want_, false); }
  /// An access to the resource that the lock is based on; of a lock that is a program.
  Task<void> touch_resource();
  /// The lock has said by itself that it is lost.
  void told_of_loss();
  /// The program that the lock is has ended, or must not be asked anything any more.
  void died();
  [[nodiscard]] const Plan& plan() const { return plan_; }

 private:
  [[nodiscard]] bool stands_before(Act act) const {
    return moments_ && moments_->awaited(act, act != Act::touch && has_held_by_clock());
  }
  [[nodiscard]] bool has_held_by_clock() const;
  void begin_round();
  Task<void> prepare_step();
  void begin_wanting();
  void begin_attempts();
  void tried(const Attempt& attempt);
  void try_again(bool never_again);
  void think();
  bool want(bool anew);
  [[nodiscard]] const PlannedAsk* planned() const;
  void enter(const Grant& grant);
  void claimed(const Result<Reply>& answer);
  void enter_again(const Grant& grant);
  [[nodiscard]] const char* reason_to_leave() const;
  Task<void> work_step();
  Task<void> read_step(std::optional<Grant> under);
  void seek(const std::string& lock);
  void enter_other(const Grant& grant);
  Task<void> release_other_step();
  Task<Duration> release_other();
  void leave_others(const char* why);
  Task<Duration> release_once();
  Task<void> leave_step();
  void leave(const char* why);
  Duration retry_delay();
  Task<void> tell_step(Work::Kind told);
  /// What it has of one lock: that of its rounds, or another one.
  struct Hold {
    std::optional<Grant>& grant;
    std::optional<Mono>& watchdog_due;
    bool& notified_of_loss;
  };
  [[nodiscard]] std::optional<Hold> hold_of(const std::string& lock);
  [[nodiscard]] std::string renewed_next() const;
  void renewed(const std::string& lock, const Result<std::optional<Grant>>& kept, Mono planned);
  void lose(const std::string& lock, Hold hold);
  [[nodiscard]] std::optional<TimeLeft> left(const Deadline& deadline) const;
  [[nodiscard]] std::optional<Mono> as_mono(const Deadline& deadline) const;
  [[nodiscard]] std::optional<Mono> first_deadline() const;
  [[nodiscard]] Name sought() const;
  void record_grant(const Grant& grant, std::optional<TimeLeft> left, const std::string& lock = "");
  void record_entry(const std::string& lock = "");
  void record_release(const Result<ReleaseResult>& released, const std::string& lock = "");
  void note(What what, const char* word = "", const std::string& lock = "");
  /// An event about a lock without a name is about that of its rounds.
  void note(Event event);

  Lock& lock_;
  const Name scenario_lock_;
  Clock& clock_;
  Random& random_;
  Store& resource_;
  const Plan plan_;
  const Name name_;  // of the lock of its rounds
  Journal* const journal_;
  Moments* const moments_;
  Life life_;
  const Mono begin_;
  int attempts_ = 0;  // in this round; for the journal only, no part of the life
  int made_ = 0;      // the same, with those for a lock that it holds already; for names only
  bool follows_plan_ = false, begins_to_want_ = false;
};

}  // namespace lockproof::harness
