// SPDX-License-Identifier: Apache-2.0
// RealSide: an etcd of our own, with connections for each client: one for commands, and one for each watch. It goes by
// the machine's clock.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/etcd/steps.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/etcd/etcd_control.hpp"
#include "real/services/etcd/etcd_program.hpp"

namespace lockproof::conformance::etcd {

class RealSide final : public PinnedObject {
 public:
  /// `program`: of another build of etcd; empty: the one in PATH. Throws real::BadEnvironment.
  explicit RealSide(const std::string& program);

  /// No key and no connection is left. The server's revision.
  [[nodiscard]] std::int64_t reset();
  /// Nothing: it does not answer. A watch that the client has on that key is over.
  [[nodiscard]] std::optional<Reply> ask(int client, const Command& command);
  /// What the client's watches have told so far. One that has told is over.
  [[nodiscard]] std::vector<std::string> told(int client);
  /// Ends all connections of the client.
  void disconnect(int client);
  [[nodiscard]] bool lives(std::int64_t lease);
  /// Kills the server, and returns when it is up again.
  void restart();

 private:
  struct Watch {
    Watch(std::string of, int port) : key(std::move(of)), link(port) {}
    std::string key;
    real::EtcdControl link;
  };
  struct Client {
    std::unique_ptr<real::EtcdControl> link{};
    std::list<Watch> watches{};
  };
  void await_up();
  [[nodiscard]] Client& of(int client) { return clients_.at(static_cast<std::size_t>(client - 1)); }
  [[nodiscard]] std::string exchanged(const std::string& request);

  real::Janitor janitor_;
  real::EtcdProgram program_;
  const int port_, port_for_peers_;
  std::unique_ptr<real::ChildProcess> process_;
  std::array<Client, clients> clients_;
};

}  // namespace lockproof::conformance::etcd
