// SPDX-License-Identifier: Apache-2.0
// ClientDriver: drives one client of a real run: starts its steps when they are due by the client's clock, and looks
// after each of them. The client may be the process itself, or stand for a program that is stopped and killed.
#pragma once

#include <functional>
#include <optional>

#include "harness/workload/client.hpp"
#include "real/client/client_moments.hpp"
#include "real/client/host_ports.hpp"
#include "real/client/life_events.hpp"
#include "real/network/event_loop.hpp"

namespace lockproof::real {

class ClientDriver : public PinnedObject {
 public:
  /// `begins`: called before each step, with the task's name; may be empty.
  ClientDriver(EventLoop& loop, harness::Client& client, HostClock& clock, LifeEvents& events, ClientMoments& moments,
               std::function<void(const char*)> begins);

  /// To be called after each step of a coroutine: what has ended is over, and events of the life that faults may be
  /// placed by have happened.
  void settle();
  /// Sets the timer for the next step; to be called when the clocks have changed.
  void arm();
  /// Whether no step will follow.
  [[nodiscard]] bool done() const;
  /// Whether a step is planned, and none is in flight.
  [[nodiscard]] bool waits() const { return timer_.is_set(); }
  /// The worker is gone; the watchdog goes on.
  void kill_worker();
  /// The client is gone: nothing follows, no event either.
  void end();

 private:
  void start_due();
  void start(std::optional<Task<void>>& task, Task<void> step, const char* word);
  [[nodiscard]] std::optional<std::int64_t> worker_at();
  [[nodiscard]] std::optional<std::int64_t> watchdog_at();

  harness::Client& client_;
  HostClock& clock_;
  LifeEvents& events_;
  ClientMoments& moments_;
  const std::function<void(const char*)> begins_;
  EventLoop::Timer timer_;
  bool inside_ = false, worker_killed_ = false, ended_ = false;
  std::optional<Task<void>> worker_, watchdog_;  // last: their frames refer to the rest
};

}  // namespace lockproof::real
