// SPDX-License-Identifier: Apache-2.0
#include "real/client/news.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::real {

void News::came(const std::string& channel) {
  const auto wait = std::ranges::find(waits_, channel, &Wait::channel);
  if (wait == waits_.end()) {
    unread_.insert(channel);
  } else {
    (*wait)->over(true);
  }
}

News::Wait::Wait(News& news, std::string channel, Mono until, HostClock* clock)
    : Waiter(news.loop_), news_(news), channel_(std::move(channel)), until_(until), clock_(clock),
      timer_(news.loop_, [this] { over(false); }) {}

News::Wait::~Wait() { std::erase(news_.waits_, this); }

void News::Wait::depart() {
  news_.waits_.push_back(this);
  timer_.set(clock_ ? clock_->machine_at(until_) : InstantAccess::us(until_) * 1000);
}

void News::Wait::over(bool came) {
  came_ = came;
  timer_.cancel();
  std::erase(news_.waits_, this);
  wake();
}

}  // namespace lockproof::real
