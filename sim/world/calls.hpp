// SPDX-License-Identifier: Apache-2.0
// CallGroup: calls of one process that one coroutine waits for together, one for a plain call, several for a gather. It
// lives in that coroutine's frame: when the frame is destroyed, by a crash or an abandoned renewal, it takes itself off
// the process's lists, and whatever arrives later finds nobody.
#pragma once

#include <coroutine>
#include <cstddef>
#include <vector>

#include "algorithms/port/store.hpp"
#include "sim/world/connection.hpp"

namespace lockproof::sim {

class Process;

struct PendingCall {
  harness::HostIndex server;
  Command command;
  Duration timeout;
  Result<Reply> result = Error::no_reply;
  bool ended = false;
  bool announced = false;            // its `before` has happened
  int number = 0;                    // 0: not sent yet
  int occurrence = 0;                // of this verb to this server in the round
  Connection* connection = nullptr;  // that it was sent on
  Mono due = InstantAccess::make<Mono>(0);
};

class CallGroup : public Pinned {
 public:
  CallGroup(Process& process, std::vector<PendingCall> calls);
  ~CallGroup();

  bool await_ready() const noexcept { return calls.empty(); }
  void await_suspend(std::coroutine_handle<> waiting);
  void await_resume() const noexcept {}

  /// Ends one call; true if it was the last one.
  bool end(PendingCall& call, Result<Reply> result);
  void resume() { waiting_.resume(); }

  std::vector<PendingCall> calls;

 private:
  Process& process_;
  std::coroutine_handle<> waiting_;
  std::size_t open_;
};

}  // namespace lockproof::sim
