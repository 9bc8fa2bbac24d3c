// SPDX-License-Identifier: Apache-2.0
#include "sim/world/symbolic/symbolic_server.hpp"

#include "sim/services/redis/symbolic_node.hpp"

namespace lockproof::sim {

std::unique_ptr<SymbolicServer> make_symbolic_server(const harness::Scenario& scenario) {
  if (scenario.algorithm->service != Service::redis) return nullptr;
  return std::make_unique<redis::SymbolicNode>(scenario.servers.front());
}

}  // namespace lockproof::sim
