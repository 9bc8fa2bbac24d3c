// SPDX-License-Identifier: Apache-2.0
// EtcdHost: an etcd of the scenario for the whole run: its process, which may end and start again with all that it had
// written, and what it did, by a watch of our own and by its answers as the proxy saw them. It goes by the machine's
// clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "real/os/janitor.hpp"
#include "real/services/etcd/change_stream.hpp"
#include "real/services/etcd/etcd_program.hpp"
#include "real/services/etcd/lock_keys.hpp"
#include "real/services/server_host.hpp"

namespace lockproof::real {

class EtcdHost final : public ServerHost {
 public:
  /// Starts it; `await_ready` must follow. `lock`: see executions_of. `program`: see EtcdProgram.
  EtcdHost(const harness::ServerSpec& spec, Janitor& janitor, std::string lock, const std::string& program);

  [[nodiscard]] const harness::ServerSpec& spec() const override { return spec_; }
  [[nodiscard]] int port() const override { return port_; }
  [[nodiscard]] ChildProcess& child() override { return *process_; }
  [[nodiscard]] bool down() const override { return down_; }

  void await_ready() override;
  void attach(EventLoop& loop) override { loop_ = &loop; }
  void start(WorldTime time, bool loses_power) override;
  void detach() override;

  [[nodiscard]] harness::Readings clocks(Duration at, Duration stood) override;
  void jump(Duration by) override;
  void set_rate(Duration now, std::int64_t ppb) override;

  /// However it ends, what it has answered is there when it starts again.
  void shut_down() override { kill(); }
  void lose_power() override { kill(); }
  void kill() override;
  void start_again(std::function<void()> up) override;

  [[nodiscard]] bool shows(const std::string& key) override;
  [[nodiscard]] bool has(const std::string& key) override { return shows(key); }
  void apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) override;

  bool finish() override;
  [[nodiscard]] std::vector<Execution> executions() override { return executions_of(answers_, changes_, lock_); }
  void answered(const Proxy::Message& message, std::string_view reply) override;

 private:
  void spawn();
  void watch();
  void look_whether_up();

  const harness::ServerSpec& spec_;
  const std::string lock_;
  EtcdProgram program_;
  int port_ = 0, port_for_peers_ = 0;
  std::unique_ptr<ChildProcess> process_;
  std::vector<EtcdAnswer> answers_;
  std::vector<SeenChange> changes_;
  std::int64_t seen_ = 1;  // the last revision that the watch has told; that of an empty server is 1
  EventLoop* loop_ = nullptr;
  std::unique_ptr<ChangeStream> stream_;
  WorldTime time_{0, 1};
  bool down_ = false;
  std::function<void()> up_;
  std::int64_t give_up_ns_ = 0;
  std::unique_ptr<EventLoop::Timer> starting_;
};

}  // namespace lockproof::real
