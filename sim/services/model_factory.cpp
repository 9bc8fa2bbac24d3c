// SPDX-License-Identifier: Apache-2.0
#include "sim/world/model_factory.hpp"

#include <optional>
#include <stdexcept>

#include "harness/scenario/services.hpp"
#include "sim/services/chubby/master.hpp"
#include "sim/services/etcd/server.hpp"
#include "sim/services/memcached/node.hpp"
#include "sim/services/postgres/node.hpp"
#include "sim/services/redis/node.hpp"
#include "sim/services/zookeeper/server.hpp"

namespace lockproof::sim {

struct ModelFactory::SharedState {
  std::optional<redis::ScriptEngine> scripts{};  // made when the first server needs it
};

ModelFactory::ModelFactory() : shared_(std::make_unique<SharedState>()) {}
ModelFactory::~ModelFactory() = default;

std::unique_ptr<ServiceModel> ModelFactory::make(const harness::Scenario& scenario, std::size_t server) {
  const harness::ServerSpec& spec = scenario.servers.at(server);
  switch (scenario.algorithm->service) {
    case Service::redis: {
      auto& scripts = shared_->scripts;
      if (!scripts) scripts.emplace();
      return std::make_unique<redis::Node>(*scripts, spec);
    }
    case Service::memcached: return std::make_unique<memcached::Node>(spec.clock, scenario.service.phase);
    case Service::postgres: return std::make_unique<postgres::Node>();
    case Service::zookeeper: return std::make_unique<zookeeper::Server>(scenario.lock, harness::tick_of(scenario));
    case Service::etcd: return std::make_unique<etcd::Server>(scenario.lock);
    case Service::chubby: return std::make_unique<chubby::Master>();
  }
  throw std::logic_error("a service without a model");
}

}  // namespace lockproof::sim
