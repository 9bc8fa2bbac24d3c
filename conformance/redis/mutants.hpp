// SPDX-License-Identifier: Apache-2.0
// Mutants: wrong rules, one for each rule of the model, to show that the comparison would notice them. Each changes
// what goes into the simulated node or what comes out of it; the node itself knows nothing of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "sim/services/redis/node.hpp"

namespace lockproof::conformance::redis {

/// One command on its way to the node.
struct IncomingCommand {
  int connection;
  Command command;
  std::int64_t now_ms;
};

class ModelNodes;
struct Outcome;
struct Step;

struct Mutant {
  std::string_view name;
  std::string_view rule;  // the rule that it breaks
  sim::NodeAnswer (*run)(sim::redis::Node& node, const IncomingCommand& asked);
  // For rules that only several nodes show: what is done in place of a step.
  bool several = false;
  void (*step)(ModelNodes& nodes, const Step& step, Outcome& outcome) = nullptr;
};

[[nodiscard]] std::span<const Mutant> mutants();

}  // namespace lockproof::conformance::redis
