// SPDX-License-Identifier: Apache-2.0
// What a sentinel answers to the clients that look for a master: docs/semantics/programs.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::sim {

/// What a sentinel knows of the servers that it watches.
struct SentinelView {
  std::string name;  // of the master, as clients ask for it: the first one's
  std::size_t master_port;
  std::vector<std::size_t> replica_ports;
  std::vector<std::size_t> other_sentinel_ports;
  int quorum;
};

/// Nothing: the simulated sentinel does not know the command.
[[nodiscard]] std::optional<Reply> sentinel_answer(const Command& command, const SentinelView& view);

/// The message on its channel +switch-master.
[[nodiscard]] Reply switch_of_master(const std::string& name, std::size_t old_port, std::size_t new_port);

}  // namespace lockproof::sim
