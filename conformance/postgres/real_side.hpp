// SPDX-License-Identifier: Apache-2.0
// RealSide: a PostgreSQL of our own whose wall clock stands still until it is set, and some connections to it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "algorithms/port/command.hpp"
#include "conformance/postgres/steps.hpp"
#include "real/clock/clock_page.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/postgres/cluster.hpp"
#include "real/services/postgres/pq_control.hpp"

namespace lockproof::conformance::postgres {

class RealSide final : public PinnedObject {
 public:
  /// `program`: the path of a postgres; empty: the one in PATH, or Debian's. Throws real::BadEnvironment.
  explicit RealSide(const std::string& program);

  /// No connection has anything, and no row is there. `waiting`: connections whose statements wait, for one of the
  /// others.
  void reset(const std::set<int>& waiting);
  void show(std::int64_t wall_ms);
  /// Sends a statement. Its answer; nothing: it waits, and has waited for some milliseconds.
  [[nodiscard]] std::optional<Reply> run(int connection, const Command& command, bool waits);
  /// The answer to one that waited.
  [[nodiscard]] Reply answer(int connection);
  /// Ends a connection, waits until the server has noticed, and makes another one.
  void end(int connection);

 private:
  void connect(int connection);
  void let_go(int connection);
  [[nodiscard]] Reply ask(const std::string& text);

  real::Janitor janitor_;
  real::ClockPage clock_;
  real::Cluster cluster_;
  int port_ = 0;
  std::unique_ptr<real::ChildProcess> process_;
  real::PqControl operator_;
  std::array<real::PqControl, connections> links_;
  std::array<std::string, connections> backends_;  // the numbers of their processes
};

}  // namespace lockproof::conformance::postgres
