// SPDX-License-Identifier: Apache-2.0
// RealSide: a ZooKeeper of our own with a short tick, and a connection for each client, with another one in reserve. It
// goes by the machine's clock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "conformance/zookeeper/steps.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/zookeeper/zookeeper_control.hpp"
#include "real/services/zookeeper/zookeeper_program.hpp"

namespace lockproof::conformance::zookeeper {

inline constexpr milliseconds tick(40);

class RealSide final : public PinnedObject {
 public:
  /// `jar`: of another build of ZooKeeper; empty: Debian's. Throws real::BadEnvironment.
  explicit RealSide(const std::string& jar);

  /// No session is there, and a new parent without nodes.
  void reset();
  [[nodiscard]] real::ZooKeeperControl& client(int number) { return of(number).links.at(of(number).current); }
  /// The client's other connection.
  [[nodiscard]] real::ZooKeeperControl& reserve(int number) { return of(number).links.at(1 - of(number).current); }
  void exchange(int number) { of(number).current = 1 - of(number).current; }
  [[nodiscard]] int port() const { return port_; }

 private:
  struct Links {
    std::array<real::ZooKeeperControl, 2> links{};
    std::size_t current = 0;
  };
  [[nodiscard]] Links& of(int number) { return links_.at(static_cast<std::size_t>(number - 1)); }

  real::Janitor janitor_;
  real::ZooKeeperProgram program_;
  int port_;
  std::unique_ptr<real::ChildProcess> process_;
  std::array<Links, clients> links_;
};

}  // namespace lockproof::conformance::zookeeper
