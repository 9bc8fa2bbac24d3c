// SPDX-License-Identifier: Apache-2.0
// The parts of RemoteStore: operations that are on a connection, and the calls of one suspension. For remote_store.cpp
// and for the stores that derive from it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "real/client/remote_store.hpp"

namespace lockproof::real {

/// Something whose reply a call waits for. Either of the two may end first.
struct RemoteStore::Awaited : PinnedObject {
  Awaited() = default;
  ~Awaited();
  Slot* waiting = nullptr;  // null: its call has ended
};

/// A command on a connection, which owns it until its reply or the connection's end.
struct RemoteStore::Operation : Awaited {
  Operation(Command sent, Place at, int number, bool loses_reply)
      : command(std::move(sent)), place(at), message(number), deaf(loses_reply) {}
  const Command command;
  const Place place;
  const int message;
  const bool deaf;  // its reply is lost: the command will be sent again
};

/// One call of an exchange. It stays at its address.
struct RemoteStore::Slot : PinnedObject {
  Slot(Exchange& whole, RemoteStore& to, Duration time_allowed);
  ~Slot() {
    forget();
    if (gone) *gone = true;
  }
  /// Waits for `next` from now on; null: for nothing, and a reply to the earlier operation is discarded.
  void await(Awaited* next) {
    if (awaited) awaited->waiting = nullptr;
    awaited = next;
    if (awaited) awaited->waiting = this;
  }
  void forget() { await(nullptr); }

  Exchange& exchange;
  RemoteStore& store;
  const Duration timeout;
  int message = 0;  // number of its latest transmission
  Awaited* awaited = nullptr;
  bool subscribes = false;          // it is sent by send_subscription()
  std::optional<Repetition> retry;  // it is sent again when it times out
  EventLoop::Timer timer, again;
  bool* gone = nullptr;  // set to true when this slot is destroyed
  std::optional<Result<Reply>> result;
};

inline RemoteStore::Awaited::~Awaited() {
  if (waiting) waiting->awaited = nullptr;
}

/// One suspension: the same command to some servers, until all calls have ended.
class RemoteStore::Exchange final : public EventLoop::Waiter {
 public:
  Exchange(EventLoop& loop, Command command) : Waiter(loop), command_(std::move(command)) {}
  ~Exchange() override {
    if (gone_) *gone_ = true;
  }
  Slot& add(RemoteStore& store, Duration timeout) {
    ++open_;
    return slots_.emplace_back(*this, store, timeout);
  }
  void ended() {
    if (--open_ == 0) wake();
  }
  void await_resume() const noexcept {}
  [[nodiscard]] const Command& command() const { return command_; }
  [[nodiscard]] const Result<Reply>& result(std::size_t i) const { return *slots_.at(i).result; }

 private:
  void depart() override {
    if (slots_.empty()) return wake();
    bool gone = false;  // a fault may destroy the task, and this slot with it, while it sends
    gone_ = &gone;
    for (Slot& slot : slots_) {
      slot.store.send(slot, command_);
      if (gone) return;
    }
    gone_ = nullptr;
  }
  const Command command_;
  std::deque<Slot> slots_;
  std::size_t open_ = 0;
  bool* gone_ = nullptr;
};

inline RemoteStore::Slot::Slot(Exchange& whole, RemoteStore& to, Duration time_allowed)
    : exchange(whole), store(to), timeout(time_allowed), timer(to.loop_, [this] { store.late(*this); }),
      again(to.loop_, [this] { store.send_again(*this); }) {}

}  // namespace lockproof::real
