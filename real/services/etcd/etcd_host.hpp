// SPDX-License-Identifier: Apache-2.0
// EtcdHost: an etcd of the scenario for the whole run: its process, which may end and start again with all that it had
// written, and what it did, by a watch of our own and by its answers as the proxy saw them. It goes by the machine's
// clocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/os/janitor.hpp"
#include "real/services/etcd/change_stream.hpp"
#include "real/services/etcd/etcd_program.hpp"
#include "real/services/etcd/lock_keys.hpp"
#include "real/services/restartable_host.hpp"

namespace lockproof::real {

class EtcdHost final : public RestartableHost {
 public:
  /// Starts it; `await_ready` must follow. `lock`: see executions_of. `program`: see EtcdProgram.
  EtcdHost(const harness::ServerSpec& spec, Janitor& janitor, std::string lock, const std::string& program);

  [[nodiscard]] int port() const override { return port_; }
  [[nodiscard]] ChildProcess& child() override { return *process_; }

  void await_ready() override;
  void start(WorldTime time, bool loses_power) override;
  void detach() override;

  [[nodiscard]] bool shows(const std::string& key) override;

  bool finish() override;
  [[nodiscard]] std::vector<Execution> executions() override { return executions_of(answers_, changes_, lock_); }
  void answered(const Proxy::Message& message, std::string_view reply) override;

 private:
  void spawn() override;
  [[nodiscard]] bool is_up() override { return program_.is_up(port_); }
  [[nodiscard]] std::string folder() const override { return program_.folder(); }
  void resume(Duration /*now*/) override { watch(); }
  void watch();

  const std::string lock_;
  EtcdProgram program_;
  int port_ = 0, port_for_peers_ = 0;
  std::unique_ptr<ChildProcess> process_;
  std::vector<EtcdAnswer> answers_;
  std::vector<SeenChange> changes_;
  std::int64_t seen_ = 1;  // the last revision that the watch has told; that of an empty server is 1
  std::unique_ptr<ChangeStream> stream_;
};

}  // namespace lockproof::real
