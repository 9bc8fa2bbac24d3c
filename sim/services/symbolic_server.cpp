// SPDX-License-Identifier: Apache-2.0
#include "sim/world/symbolic/symbolic_server.hpp"

#include "sim/services/memcached/symbolic_node.hpp"
#include "sim/services/postgres/symbolic_node.hpp"
#include "sim/services/redis/symbolic_node.hpp"

namespace lockproof::sim {

std::unique_ptr<SymbolicServer> make_symbolic_server(const harness::Scenario& scenario) {
  switch (scenario.algorithm->service) {
    case Service::redis: return std::make_unique<redis::SymbolicNode>(scenario.servers.front());
    case Service::memcached: return std::make_unique<memcached::SymbolicNode>();
    case Service::postgres: return std::make_unique<postgres::SymbolicNode>();
    default: return nullptr;
  }
}

}  // namespace lockproof::sim
