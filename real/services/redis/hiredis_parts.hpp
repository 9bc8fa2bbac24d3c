// SPDX-License-Identifier: Apache-2.0
// The parts of HiredisStore: subscriptions and the calls that wait for their messages. For hiredis_store.cpp and
// hiredis_news.cpp only.
#pragma once

#include <string>
#include <utility>

#include "real/client/remote_store_parts.hpp"
#include "real/services/redis/hiredis_store.hpp"

namespace lockproof::real {

/// A channel on the connection for messages. hiredis calls back for each message, until the connection ends. The call
/// that subscribes waits for it until the server confirms.
struct HiredisStore::Subscription : Awaited {
  explicit Subscription(std::string of_channel) : channel(std::move(of_channel)) {}
  const std::string channel;
  Place place{};  // place of the command that subscribed
  int message = 0;
  bool unread = false;  // a message came that no call has taken yet
};

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

/// Hands the words to hiredis. False: hiredis does not accept them.
bool put_command(redisAsyncContext* context, void (*callback)(redisAsyncContext*, void*, void*), void* data,
                 const Command& command);

}  // namespace lockproof::real
