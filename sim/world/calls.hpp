// SPDX-License-Identifier: Apache-2.0
// What a coroutine of a simulated process waits for: a group of calls (one for a plain call, several for a gather), or
// a message on a channel. It lives in the coroutine's frame: when the frame is destroyed, by a crash or an abandoned
// renewal, it removes itself from the process's lists, and a reply that arrives later has no effect.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"
#include "harness/program/said.hpp"
#include "harness/workload/moments.hpp"
#include "sim/world/connection.hpp"

namespace lockproof::sim {

class StateEncoder;
class Process;

struct PendingCall {
  harness::HostIndex server;
  Command command;
  Duration timeout;
  Result<Reply> result = Error::no_reply;
  bool ended = false;
  std::size_t slot = 0;              // of the connection that it goes over
  bool announced = false;            // its `before` has happened
  int number = 0;                    // 0: not sent yet
  int occurrence = 0;                // counts calls of this verb to this server in the round
  Connection* connection = nullptr;  // on which it was sent
  Mono due = InstantAccess::make<Mono>(0);
  std::optional<Mono> resend;               // when the driver sends it again …
  std::size_t resent_by = 0;                // … because of this fault
  std::optional<std::size_t> retry;         // this fault sends it again when it has timed out
  bool untimed = false;                     // it has no time-out here: who made it has clocks of its own
  std::optional<harness::KeyChange> key{};  // what it has done to the lock's key, of a program's command
};

class Suspension : public PinnedObject {
 public:
  explicit Suspension(Process& process) : process_(process) {}
  void resume() { waiting_.resume(); }
  virtual void encode(StateEncoder& into, const harness::Readings& now) const = 0;

 protected:
  virtual ~Suspension();
  Process& process_;
  std::coroutine_handle<> waiting_;
};

class CallGroup final : public Suspension {
 public:
  CallGroup(Process& process, std::vector<PendingCall> calls);
  ~CallGroup() override;

  bool await_ready() const noexcept { return calls.empty(); }
  void await_suspend(std::coroutine_handle<> waiting);
  void await_resume() const noexcept {}

  void encode(StateEncoder& into, const harness::Readings& now) const override;
  /// Ends one call; true if it was the last one.
  bool end(PendingCall& call, Result<Reply> result);
  [[nodiscard]] bool waits_for_more_than_one() const { return open_ > 1; }

  std::vector<PendingCall> calls;

 private:
  std::size_t open_;
};

/// A wait for a message on a channel, at most until an instant.
class NewsWait final : public Suspension {
 public:
  NewsWait(Process& process, std::string on_channel, Mono at_most)
      : Suspension(process), channel(std::move(on_channel)), until(at_most) {}
  ~NewsWait() override;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting);
  bool await_resume() const noexcept { return came; }
  void encode(StateEncoder& into, const harness::Readings& now) const override;

  const std::string channel;
  const Mono until;
  bool came = false;
};

/// A wait before a client enters, exits or touches, until the faults that are placed there have struck.
class MomentWait final : public Suspension {
 public:
  MomentWait(Process& process, harness::Act before) : Suspension(process), act(before) {}
  ~MomentWait() override;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting);
  void await_resume() const noexcept {}
  void encode(StateEncoder& into, const harness::Readings& now) const override;

  const harness::Act act;
};

/// A wait for what a program answers.
class LineWait final : public Suspension {
 public:
  explicit LineWait(Process& process) : Suspension(process) {}

  bool await_ready() const noexcept { return said.has_value(); }
  void await_suspend(std::coroutine_handle<> waiting) { waiting_ = waiting; }
  void await_resume() const noexcept {}
  void encode(StateEncoder& into, const harness::Readings& now) const override;
  /// It has answered.
  void end(harness::ProgramLine answer);

  std::optional<harness::ProgramLine> said;
};

}  // namespace lockproof::sim
