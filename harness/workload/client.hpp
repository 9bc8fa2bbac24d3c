// SPDX-License-Identifier: Apache-2.0
// Client: the loop around a lock, the same for every lock and in both worlds. It is driven from outside: a world looks
// at `life()`, starts `worker_step` or `watchdog_step` when it is due, and resumes what they wait for. Between steps
// nothing lives but the Life and the lock's declared state.
#pragma once

#include "algorithms/port/lock.hpp"
#include "harness/history/event.hpp"
#include "harness/workload/life.hpp"
#include "harness/workload/plan.hpp"

namespace lockproof::harness {

class Client : public Pinned {
 public:
  /// `journal` may be null: then nothing is written. All references must outlive the client.
  Client(Lock& lock, Name name, Ports ports, Store& resource, const Plan& plan, Journal* journal);

  [[nodiscard]] const Life& life() const { return life_; }
  /// Both require that the due instant has come and that no step of the same task is in flight.
  Task<void> worker_step();
  Task<void> watchdog_step();

 private:
  void begin_round();
  void begin_attempts();
  void tried(const Attempt& attempt);
  void try_again(bool never_again);
  void rest();
  void enter(const Grant& grant);
  void claimed(const Result<Reply>& answer);
  void enter_again(const Grant& grant);
  [[nodiscard]] const char* reason_to_leave() const;
  Task<void> work_step();
  Task<Duration> release_once();
  Task<void> leave_step();
  void leave(const char* why);
  Duration retry_delay();
  void renewed(const Result<std::optional<Grant>>& kept, Mono planned);
  [[nodiscard]] std::optional<Left> left(const Deadline& deadline) const;
  void note_granted(const Grant& grant, std::optional<Left> left);
  void note_released(const Result<Released>& released);
  void note(What what, const char* word = "");
  void note(Event event);

  Lock& lock_;
  const Name name_;
  Clock& clock_;
  Random& random_;
  Store& resource_;
  const Plan& plan_;
  Journal* const journal_;
  Life life_;
  int attempts_ = 0;  // of this round; for the journal only, no part of the life
};

}  // namespace lockproof::harness
