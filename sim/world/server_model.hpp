// SPDX-License-Identifier: Apache-2.0
// ServerModel: what a simulated server does with one command. A server is not always Redis.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned.hpp"
#include "harness/history/event.hpp"

namespace lockproof::sim {

class ServerModel : public Pinned {
 public:
  virtual ~ServerModel() = default;
  /// Runs one command, atomically, at the instant that the server's wall clock shows. What it does to keys is added to
  /// `effects` unless that is null.
  virtual Reply execute(const Command& command, std::int64_t now_ms, std::vector<harness::Effect>* effects) = 0;
};

}  // namespace lockproof::sim
