// SPDX-License-Identifier: Apache-2.0
// EtcdProgram: the files of one etcd server of our own, a cluster of its own, and how it is started: with etcd's own
// settings, by the machine's own clocks.
#pragma once

#include <memory>
#include <string>

#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real {

class EtcdProgram {
 public:
  /// In `folder`, which is made. `path`: another build of etcd; empty: the one in PATH.
  EtcdProgram(const std::string& path, std::string folder, Janitor& janitor);

  /// Starts the server on these ports of 127.0.0.1, with all that it had written. Throws BadEnvironment.
  [[nodiscard]] std::unique_ptr<ChildProcess> start(int port, int port_for_peers);
  /// Forgets what it had written.
  void clear();
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Whether the server at this port answers, and is this one: another program may have taken the port first.
  [[nodiscard]] bool is_up(int port) const;

 private:
  const ServerProgram program_;
  const std::string folder_, name_;
  Janitor& janitor_;
};

/// "etcd 3.4.23". Throws BadEnvironment if the program is not etcd.
[[nodiscard]] std::string etcd_version(const std::string& path);

}  // namespace lockproof::real
