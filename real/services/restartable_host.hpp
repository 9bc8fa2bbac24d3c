// SPDX-License-Identifier: Apache-2.0
// RestartableHost: what the hosts of all services share: the wait until their server is up, its end, and its start with
// what it had stored.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "real/services/server_host.hpp"

namespace lockproof::real {

class RestartableHost : public ServerHost {
 public:
  [[nodiscard]] const harness::ServerSpec& spec() const final { return spec_; }
  [[nodiscard]] bool down() const final { return down_; }

  void attach(EventLoop& loop) override { loop_ = &loop; }
  void detach() override { starting_.reset(); }

  /// The end of a server that keeps all that it has answered, or nothing, is the same however it ends.
  void shut_down() override { kill(); }
  void lose_power() override { kill(); }
  void kill() override;
  void start_again(std::function<void()> up) final;

  /// A server that goes by the machine's clocks, which no fault of a scenario changes.
  [[nodiscard]] harness::Readings clocks(Duration at, Duration stood) override;
  void jump(Duration by) override;
  void set_rate(Duration now, std::int64_t ppb) override;

  [[nodiscard]] bool has(const std::string& key) override { return shows(key); }
  /// A server without faults of its own.
  void apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) override;

 protected:
  /// `look_ns`: how long it is left alone between two looks whether it is up again.
  RestartableHost(const harness::ServerSpec& spec, WorldTime time, std::int64_t look_ns)
      : time_(time), spec_(spec), look_ns_(look_ns) {}

  /// Starts its process on its port, with what is on its disk.
  virtual void spawn() = 0;
  [[nodiscard]] virtual bool is_up() = 0;
  /// That its log is in.
  [[nodiscard]] virtual std::string folder() const = 0;
  /// It is up again, seen by a look that began at `now`.
  virtual void resume(Duration /*now*/) {}

  /// Returns when it is up for the first time. `move` gives it other ports.
  void await_up_or_move(const std::function<void()>& move);
  void set_down() { down_ = true; }
  [[nodiscard]] EventLoop& loop() const { return *loop_; }
  /// Lets the proxy go on until `over` says so. False: it did not for so long.
  bool turn_until(const std::function<bool()>& over, std::int64_t most_ns);

  WorldTime time_;

 private:
  void check_whether_up();

  const harness::ServerSpec& spec_;
  const std::int64_t look_ns_;
  EventLoop* loop_ = nullptr;
  bool down_ = false;
  std::function<void()> up_;
  std::int64_t give_up_ns_ = 0;
  std::unique_ptr<EventLoop::Timer> starting_;
};

}  // namespace lockproof::real
