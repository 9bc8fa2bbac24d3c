// SPDX-License-Identifier: Apache-2.0
#include "real/run/replica_links.hpp"

#include <algorithm>

#include "real/clock/world_time.hpp"

namespace lockproof::real {

using harness::HostIndex;
using harness::Scenario;

namespace {

HostIndex server_host(const Scenario& scenario, std::size_t server) {
  return static_cast<HostIndex>(scenario.clients.size() + server);
}

HostIndex master_of(const Scenario& scenario, std::size_t replica) {
  const auto& servers = scenario.servers;
  const auto master = std::ranges::find(servers, servers[replica].replica_of, &harness::ServerSpec::name);
  return server_host(scenario, static_cast<std::size_t>(master - servers.begin()));
}

}  // namespace

/// A sentinel makes replicas of masters.
MasterPorts master_ports(const Scenario& scenario, const std::function<int(std::size_t, HostIndex)>& port_of) {
  const auto& specs = scenario.servers;
  const bool sentinels = !scenario.sentinels.empty();
  const bool turns = sentinels || std::ranges::find(scenario.faults, harness::FaultKind::failover,
                                                    &harness::Fault::kind) != scenario.faults.end();
  MasterPorts ports;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const HostIndex replica = server_host(scenario, i);
    for (std::size_t j = 0; j < specs.size(); ++j) {
      const bool may = turns && scenario.replicate_together(specs[i].name, specs[j].name);
      const bool follows = !specs[i].replica_of.empty() && (specs[j].name == specs[i].replica_of || may);
      if (follows || (sentinels && may)) ports[{replica, server_host(scenario, j)}] = port_of(j, replica);
    }
  }
  return ports;
}

void link_replicas(const Scenario& scenario, const std::vector<std::unique_ptr<ServerHost>>& servers,
                   const MasterPorts& ports,
                   const std::function<void(const std::function<bool()>&, const std::string&)>& await) {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    if (scenario.servers[i].replica_of.empty()) continue;
    Replication& replica = *servers[i]->replication();
    replica.replicate_from(ports.at({server_host(scenario, i), master_of(scenario, i)}));
    await([&] { return replica.in_step(); }, scenario.servers[i].name + " cannot follow its master");
  }
}

void let_replicas_lag(const Scenario& scenario, Proxy& proxy) {
  const std::int64_t lag = WorldTime(0, scenario.speedup).machine_ns_of(scenario.network.replication.most);
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    for (std::size_t j = 0; j < scenario.servers.size(); ++j) {
      if (i != j) proxy.lag(server_host(scenario, j), server_host(scenario, i), lag);
    }
  }
}

}  // namespace lockproof::real
