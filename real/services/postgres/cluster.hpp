// SPDX-License-Identifier: Apache-2.0
// Cluster: the files and the program of one PostgreSQL server of our own: made by initdb, or a copy of a new
// one or of its primary's, and run as the user postgres where we are root.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "real/clock/clock_page.hpp"
#include "real/os/janitor.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real {

/// `path`: of another build's postgres; its initdb must lie beside it. Empty: the one in PATH, or Debian's.
[[nodiscard]] ServerProgram postgres_program(const std::string& path);

class Cluster {
 public:
  /// In `folder`, which is made. `settings`: further ones of the server, "name=value". Throws BadEnvironment.
  Cluster(ServerProgram program, std::string folder, Janitor& janitor, std::vector<std::string> settings = {});

  /// Makes the files of a new database cluster: where runs share files, as a copy of one that they share.
  void initialize();
  /// Copies the files of the server at this port, to be a standby. Throws BadEnvironment.
  void copy_from(int port);
  /// Starts the server on this port of 127.0.0.1.
  [[nodiscard]] std::unique_ptr<ChildProcess> start(int port, const ClockPage& clock);
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string data() const { return folder_ + "/data"; }

 private:
  [[nodiscard]] ServerProgram beside(const char* name) const;
  void make_new(const std::string& folder, Janitor& janitor) const;
  const ServerProgram program_;
  const std::string folder_;
  Janitor& janitor_;
  const std::vector<std::string> settings_;
};

}  // namespace lockproof::real
