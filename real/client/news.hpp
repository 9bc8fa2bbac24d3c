// SPDX-License-Identifier: Apache-2.0
// News: messages that came on channels, and the calls that wait for one. Several that no call has taken count as one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/client/host_ports.hpp"
#include "real/network/event_loop.hpp"

namespace lockproof::real {

class News : public PinnedObject {
 public:
  /// Waits for a message on a channel, at most until an instant of this clock; null: the machine's.
  class Wait;
  explicit News(EventLoop& loop) : loop_(loop) {}

  /// A message has come.
  void came(const std::string& channel);
  /// Takes one that no call has taken. False: there is none.
  [[nodiscard]] bool take(const std::string& channel) { return unread_.erase(channel) > 0; }
  /// Forgets what no call has taken, of one channel or of all.
  void forget(const std::string& channel) { unread_.erase(channel); }
  void forget() { unread_.clear(); }

 private:
  EventLoop& loop_;
  std::set<std::string> unread_;
  std::vector<Wait*> waits_;
};

class News::Wait final : public EventLoop::Waiter {
 public:
  Wait(News& news, std::string channel, Mono until, HostClock* clock);
  ~Wait() override;
  bool await_resume() const noexcept { return came_; }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  void over(bool came);

 private:
  void depart() override;
  News& news_;
  const std::string channel_;
  const Mono until_;
  HostClock* const clock_;
  EventLoop::Timer timer_;
  bool came_ = false;
};

}  // namespace lockproof::real
