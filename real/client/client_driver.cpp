// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_driver.hpp"

#include <algorithm>
#include <utility>

#include "real/clock/world_time.hpp"

namespace lockproof::real {

using harness::EventPlace;
using harness::Phase;

ClientDriver::ClientDriver(EventLoop& loop, harness::Client& client, HostClock& clock, LifeEvents& events,
                           ClientMoments& moments, std::function<void(const char*)> begins)
    : client_(client), clock_(clock), events_(events), moments_(moments), begins_(std::move(begins)),
      timer_(loop, [this] { start_due(); }) {}

bool ClientDriver::done() const {
  const Phase phase = client_.life().phase;
  const bool works = worker_ || (!worker_killed_ && phase != Phase::done && phase != Phase::gave_up);
  return ended_ || (!works && !watchdog_ && !(worker_killed_ && client_.life().next_watchdog()));
}

void ClientDriver::start_due() {
  const std::optional<std::int64_t> worker = worker_at(), watchdog = watchdog_at();
  const std::int64_t now = machine_ns();
  const bool worker_due = worker && *worker <= now;
  const bool watchdog_due = watchdog && *watchdog <= now;
  if (worker_due && !(watchdog_due && *watchdog < *worker)) {
    start(worker_, client_.worker_step(), "worker");
  } else if (watchdog_due) {
    start(watchdog_, client_.watchdog_step(), "watchdog");
  }
  settle();
}

/// When its next step is due, by the machine's clock. A period that has begun by now is no timer that came late.
std::optional<std::int64_t> ClientDriver::worker_at() {
  const harness::Life& life = client_.life();
  if (worker_ || worker_killed_) return std::nullopt;
  if (const auto due = life.period_due()) return std::max(clock_.machine_at(*due), machine_ns());
  return life.worker_due ? std::optional(clock_.machine_at(*life.worker_due)) : std::nullopt;
}

std::optional<std::int64_t> ClientDriver::watchdog_at() {
  const std::optional<Mono> due = client_.life().next_watchdog();
  return !watchdog_ && due ? std::optional(clock_.machine_at(*due)) : std::nullopt;
}

void ClientDriver::kill_worker() {
  worker_killed_ = true;
  worker_.reset();
  arm();
}

void ClientDriver::end() {
  ended_ = true;
  worker_.reset();
  watchdog_.reset();
  timer_.cancel();
}

void ClientDriver::start(std::optional<Task<void>>& task, Task<void> step, const char* word) {
  if (begins_) begins_(word);
  task = std::move(step);
  task->start();
}

void ClientDriver::settle() {
  do {
    for (auto* task : {&worker_, &watchdog_}) {
      if (*task && (*task)->done()) {
        (*task)->result();
        task->reset();
      }
    }
  } while (moments_.strike());
  if (ended_) return;
  const harness::Life& life = client_.life();
  // A renewal in flight is abandoned when the lock is left.
  if (!life.holds()) watchdog_.reset();
  events_.round(life.round);
  if (life.inside() != inside_) {
    inside_ = life.inside();
    events_.happens(inside_ ? EventPlace::Moment::enters : EventPlace::Moment::exits, "");
  }
  arm();
}

void ClientDriver::arm() {
  const bool acts = !ended_ && !events_.stands_still();
  const std::optional<std::int64_t> worker = worker_at(), watchdog = watchdog_at();
  const std::optional<std::int64_t> next = worker && watchdog ? std::min(*worker, *watchdog)
                                           : worker           ? worker
                                                              : watchdog;
  if (acts && next) {
    timer_.set(*next);
  } else {
    timer_.cancel();
  }
}

}  // namespace lockproof::real
