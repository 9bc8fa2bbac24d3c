// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/services.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "algorithms/catalogue.hpp"

namespace lockproof::harness {
namespace {

constexpr std::array memcached_lacks{FaultKind::failover, FaultKind::replication_stall, FaultKind::script_flush,
                                     FaultKind::client_pause, FaultKind::pool_switch};
constexpr std::array redis_lacks{FaultKind::pool_switch};
constexpr std::array postgres_lacks{FaultKind::evict, FaultKind::flush, FaultKind::script_flush,
                                    FaultKind::client_pause};
constexpr std::array zookeeper_lacks{FaultKind::failover,   FaultKind::replication_stall, FaultKind::evict,
                                     FaultKind::flush,      FaultKind::script_flush,      FaultKind::client_pause,
                                     FaultKind::pool_switch};

constexpr std::array rows{
    ServiceRow{.service = Service::redis, .name = "redis", .replicates = true, .persists = true, .lacks = redis_lacks},
    ServiceRow{.service = Service::memcached,
               .name = "memcached",
               .ticks = true,
               .lease_clock = "mono",
               .lacks = memcached_lacks},
    ServiceRow{.service = Service::postgres,
               .name = "postgres",
               .replicates = true,
               .outlives = true,
               .of_connections = true,
               .lacks = postgres_lacks},
    ServiceRow{.service = Service::zookeeper,
               .name = "zookeeper",
               .outlives = true,
               .lease_clock = "mono",
               .lacks = zookeeper_lacks},
};

}  // namespace

std::span<const ServiceRow> services() { return rows; }

const ServiceRow& row_of(Service service) {
  const auto found = std::ranges::find(rows, service, &ServiceRow::service);
  if (found == rows.end()) throw std::logic_error("a service without a row");
  return *found;
}

bool can_have(const ServiceRow& service, FaultKind kind) {
  return std::ranges::find(service.lacks, kind) == service.lacks.end();
}

milliseconds tick_of(const Scenario& scenario) {
  constexpr milliseconds standard(2000);
  milliseconds tick = standard;
  for (const ClientSpec& client : scenario.clients) {
    const milliseconds timeout = client.plan.lease.value_or(scenario.algorithm->lease);
    tick = std::min(tick, std::max(timeout / 4, milliseconds(1)));
  }
  return tick;
}

}  // namespace lockproof::harness
