// SPDX-License-Identifier: Apache-2.0
// ZooKeeperProgram: the files of one ZooKeeper server of our own, and how it is started: in a JVM, by the machine's own
// clocks, with its times divided by the run's speed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real {

class ZooKeeperProgram {
 public:
  /// In `folder`, which is made. `jar`: of another build of ZooKeeper; empty: Debian's. Throws BadEnvironment.
  ZooKeeperProgram(std::string jar, std::string folder, Janitor& janitor);

  /// It is a member of an ensemble: what its configuration says of the servers, and which of them it is, from 1.
  void join(std::string servers, int number);
  /// Starts the server on this port of 127.0.0.1. `tick`: as the machine's clock counts.
  [[nodiscard]] std::unique_ptr<ChildProcess> start(int port, milliseconds tick);
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string data() const { return folder_ + "/data"; }
  /// Where its transaction log lies.
  [[nodiscard]] std::string log_folder() const { return data() + "/version-2"; }
  /// Whether the server at this port takes sessions, and is this one: another program may have taken the port first.
  [[nodiscard]] bool is_up(int port) const;

 private:
  const std::string jar_, folder_;
  Janitor& janitor_;
  std::string ensemble_;  // lines of its configuration
};

/// "zookeeper 3.8.0". Throws BadEnvironment if the jar is not ZooKeeper's.
[[nodiscard]] std::string zookeeper_version(const std::string& jar);

}  // namespace lockproof::real
