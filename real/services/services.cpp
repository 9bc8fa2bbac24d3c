// SPDX-License-Identifier: Apache-2.0
#include "real/services/services.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/services/etcd/etcd_driver.hpp"
#include "real/services/memcached/memcached_driver.hpp"
#include "real/services/postgres/postgres_driver.hpp"
#include "real/services/redis/redis_driver.hpp"
#include "real/services/zookeeper/zookeeper_driver.hpp"

namespace lockproof::real {
namespace {

constexpr ServiceRow service_rows[] = {
    {Service::redis, "redis-server", make_redis_driver, redis_version, true},
    {Service::memcached, "memcached", make_memcached_driver, memcached_version, false},
    {Service::postgres, "postgres", make_postgres_driver, postgres_version, false},
    {Service::zookeeper, "zookeeper.jar", make_zookeeper_driver, zookeeper_version, false},
    {Service::etcd, "etcd", make_etcd_driver, etcd_version, false},
};

}  // namespace

std::span<const ServiceRow> services() { return service_rows; }

const ServiceRow& service_of(const harness::Scenario& scenario) {
  if (const auto why = harness::simulated_only(scenario); !why.empty()) throw UnsupportedFeature(std::string(why));
  return *std::ranges::find(service_rows, scenario.algorithm->service, &ServiceRow::service);
}

bool replays_traces(const harness::Scenario& scenario) {
  const auto row = std::ranges::find(service_rows, scenario.algorithm->service, &ServiceRow::service);
  return row != std::end(service_rows) && row->replays_traces;
}

std::string program_of(Service service, const Programs& programs) {
  const auto given = programs.find(service);
  return given == programs.end() ? std::string() : given->second;
}

std::unique_ptr<ServiceDriver> make_driver(const harness::Scenario& scenario, const Programs& programs) {
  const ServiceRow& row = service_of(scenario);
  return row.driver(program_of(row.service, programs));
}

}  // namespace lockproof::real
