// SPDX-License-Identifier: Apache-2.0
// Trace replay: repeats a simulated history step by step with real redis-server processes. Each command reaches its
// server, and each reply its client, in the order of the predicted history; the servers' wall clocks stand still and
// are set to what the predicted ones showed; and all replies of the servers are compared with the prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::real {

struct Divergence {
  std::size_t event = 0;  // the first event of the predicted history that differed
  std::string what;       // "redis-1's reply to client-1's SETNX"
  std::string predicted, real;
};

struct TraceReplay {
  enum class Outcome : std::uint8_t { confirmed, diverged, not_reproducible };
  Outcome outcome = Outcome::confirmed;
  std::string reason;  // why it is not reproducible here
  std::optional<Divergence> divergence{};
  std::string servers{};       // their versions: "redis-server 7.0.15"
  harness::History history{};  // with what the real servers answered and did, up to the divergence
  // How much was compared.
  std::uint64_t commands = 0, replies = 0, effects = 0, leases = 0, replicated = 0, messages = 0, faults = 0;
};

/// `predicted` must have been recorded with its inputs, from this scenario. Leaves none of the processes that it
/// started. Throws BadEnvironment. `programs`: see Options.
[[nodiscard]] TraceReplay replay_trace(const harness::Scenario& scenario, const harness::History& predicted,
                                       const Programs& programs = {});

}  // namespace lockproof::real
