// SPDX-License-Identifier: Apache-2.0
// What HiredisStore is made of inside: operations that hiredis knows of, the calls of one suspension, subscriptions and
// those who wait for their messages. For hiredis_store.cpp and hiredis_news.cpp only.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "real/services/redis/hiredis_store.hpp"

namespace lockproof::real {

/// A command that hiredis knows of. It belongs to hiredis from the send to its callback, which comes exactly once.
struct HiredisStore::Operation {
  HiredisStore& store;
  Command command;
  Place place;
  int message;
  Slot* waiting;  // null: its call has ended
  bool deaf;      // its reply is lost: the command will be sent again
};

/// A channel on the connection for messages. hiredis calls back for each message, until the connection ends.
struct HiredisStore::Subscription {
  HiredisStore& store;
  std::string channel;
  Place place;  // of the command that asked for it
  int message;
  Slot* waiting;        // for the confirmation
  bool unread = false;  // a message came that nobody has waited for yet
};

/// One call of an exchange. It stays at its address.
struct HiredisStore::Slot : Pinned {
  Slot(Exchange& whole, HiredisStore& to, Duration patience);
  ~Slot() {
    if (operation) operation->waiting = nullptr;
    if (subscription) subscription->waiting = nullptr;
    if (gone) *gone = true;
  }
  Exchange& exchange;
  HiredisStore& store;
  const Duration timeout;
  int message = 0;  // that it was sent as last
  Operation* operation = nullptr;
  Subscription* subscription = nullptr;  // of a subscription's call
  EventLoop::Timer timer, again;
  bool* gone = nullptr;  // to be told of this slot's end
  std::optional<Result<Reply>> result;
};

/// One suspension: the same command to some servers, until all calls have ended.
class HiredisStore::Exchange final : public EventLoop::Waiter {
 public:
  Exchange(EventLoop& loop, Command command) : Waiter(loop), command_(std::move(command)) {}
  ~Exchange() override {
    if (gone_) *gone_ = true;
  }
  Slot& add(HiredisStore& store, Duration timeout) {
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
    bool gone = false;  // a fault may destroy the task, and this with it, while it sends
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

inline HiredisStore::Slot::Slot(Exchange& whole, HiredisStore& to, Duration patience)
    : exchange(whole), store(to), timeout(patience), timer(to.loop_, [this] { store.late(*this); }),
      again(to.loop_, [this] { store.send(*this, exchange.command()); }) {}

/// Waits for a message on a channel, at most until an instant.
class HiredisStore::NewsWait final : public EventLoop::Waiter {
 public:
  NewsWait(HiredisStore& store, std::string on_channel, Mono at_most);
  ~NewsWait() override;
  bool await_resume() const noexcept { return came_; }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  void over(bool came);

 private:
  void depart() override;
  HiredisStore& store_;
  const std::string channel_;
  const Mono until_;
  EventLoop::Timer timer_;
  bool came_ = false;
};

/// Hands the words to hiredis. False: it does not take them.
bool put_command(redisAsyncContext* context, void (*callback)(redisAsyncContext*, void*, void*), void* data,
                 const Command& command);

}  // namespace lockproof::real
