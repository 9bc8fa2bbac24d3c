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
constexpr std::array zookeeper_lacks{FaultKind::failover,     FaultKind::evict,        FaultKind::flush,
                                     FaultKind::script_flush, FaultKind::client_pause, FaultKind::pool_switch};
constexpr std::array chubby_lacks{FaultKind::failover,   FaultKind::replication_stall, FaultKind::evict,
                                  FaultKind::flush,      FaultKind::script_flush,      FaultKind::client_pause,
                                  FaultKind::pool_switch};

constexpr std::array etcd_lacks = chubby_lacks;

constexpr std::array rows{
    ServiceRow{.service = Service::redis,
               .name = "redis",
               .programs = true,
               .replicates = true,
               .persists = true,
               .lacks = redis_lacks},
    ServiceRow{.service = Service::memcached,
               .name = "memcached",
               .ticks = true,
               .lease_clock = "mono",
               .lacks = memcached_lacks},
    ServiceRow{.service = Service::postgres,
               .name = "postgres",
               .programs = true,
               .replicates = true,
               .outlives = true,
               .of_connections = true,
               .lacks = postgres_lacks},
    ServiceRow{.service = Service::zookeeper,
               .name = "zookeeper",
               .outlives = true,
               .ensembles = true,
               .sessions = true,
               .lease_clock = "mono",
               .counts_all = true,
               .lacks = zookeeper_lacks},
    ServiceRow{.service = Service::etcd,
               .name = "etcd",
               .outlives = true,
               .counts_all = true,
               .speedup = 1,
               .lacks = etcd_lacks},
    ServiceRow{.service = Service::chubby,
               .name = "chubby",
               .outlives = true,
               .sessions = true,
               .lease_clock = "mono",
               .counts_all = true,
               .simulated_only = "there is no server of Chubby that could be run, and etcd's mutex is its nearest "
                                 "relative that has one; lockproof run and explore simulate it",
               .lacks = chubby_lacks},
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

bool can_have(const Scenario& scenario, FaultKind kind) {
  const bool of_lockproof =
      kind == FaultKind::kill_task || kind == FaultKind::retry;  // its client's code, not a program's
  return can_have(row_of(scenario.algorithm->service), kind) && !(scenario.program && of_lockproof);
}

/// An election of ZooKeeper takes a fifth of a second, whatever its tick.
std::int64_t standard_speedup(const Scenario& scenario) {
  constexpr std::int64_t of_ensembles = 4;
  return scenario.ensemble ? of_ensembles : row_of(scenario.algorithm->service).speedup;
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

std::string_view simulated_only(const Scenario& scenario) { return row_of(scenario.algorithm->service).simulated_only; }

Duration sync_timeout_of(const Scenario& scenario) { return tick_of(scenario) * sync_limit; }

}  // namespace lockproof::harness
