// SPDX-License-Identifier: Apache-2.0
// Supervisor's part that starts the servers, links replicas to their masters, and sets all clocks.
#include <algorithm>

#include "real/client/faults.hpp"
#include "real/run/supervisor.hpp"

namespace lockproof::real {

using harness::HostIndex;

namespace {

constexpr std::int64_t start_after_ns = 5'000'000;   // time for the clients to wake up and wait for the start
constexpr std::int64_t strike_ns_most = 50'000'000;  // time for the faults that strike at the start

}  // namespace

void Supervisor::start_servers() {
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) {
    const HostIndex host = first_server() + static_cast<HostIndex>(i);
    const auto dial = [this, i](int) { return dial_port(servers_[i]->port()); };
    const bool known = !scenario_.sentinels.empty();
    if (known) public_ports_.push_back(proxy_->listen(driver_->callers(scenario_), host, dial));
    servers_.push_back(driver_->start({scenario_, i, janitor_, known ? public_ports_.back() : 0}));
  }
  for (const auto& server : servers_) server->await_ready();
  open_links();
}

/// The ports at which each replica finds its master, and any server that may replace it. A sentinel makes replicas of
/// masters.
void Supervisor::open_links() {
  const auto& specs = scenario_.servers;
  const bool sentinels = !public_ports_.empty();
  const bool turns = sentinels || std::ranges::find(scenario_.faults, harness::FaultKind::failover,
                                                    &harness::Fault::kind) != scenario_.faults.end();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const HostIndex replica = first_server() + static_cast<HostIndex>(i);
    for (std::size_t j = 0; j < specs.size(); ++j) {
      const bool may = turns && scenario_.replicate_together(specs[i].name, specs[j].name);
      const bool follows = !specs[i].replica_of.empty() && (specs[j].name == specs[i].replica_of || may);
      if (!follows && !(sentinels && may)) continue;
      const HostIndex master = first_server() + static_cast<HostIndex>(j);
      master_ports_[{replica, master}] = sentinels ? public_ports_[j] : endpoint_of(j, replica).port;
    }
  }
}

void Supervisor::link_replicas() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const std::string& master = scenario_.servers[i].replica_of;
    if (master.empty()) continue;
    Replication& replica = *servers_[i]->replication();
    replica.replicate_from(master_ports_.at({first_server() + static_cast<HostIndex>(i), header_host(master)}));
    await([&] { return replica.in_step(); }, scenario_.servers[i].name + " cannot follow its master");
  }
}

/// With a proxy in between, what a master sends takes as long to its replicas as the scenario says at most.
void Supervisor::replicas_lag() {
  const std::int64_t lag = WorldTime(0, scenario_.speedup).machine_ns_of(scenario_.network.replication.most);
  for (std::size_t i = 0; proxy_ && i < servers_.size(); ++i) {
    const HostIndex host = first_server() + static_cast<HostIndex>(i);
    for (const auto& master : scenario_.servers) {
      if (master.name != scenario_.servers[i].name) proxy_->lag(header_host(master.name), host, lag);
    }
  }
}

/// Sets the servers' clocks for a start soon. Where they count the time since they heard from each other, they may have
/// been set back by this, so there is time for their next word.
void Supervisor::set_start() {
  const bool strikes = std::ranges::any_of(scenario_.faults, strikes_at_start);
  const std::int64_t soon = start_after_ns + (strikes ? strike_ns_most : 0);
  const std::int64_t lead = WorldTime(0, scenario_.speedup).machine_ns_of(driver_->settling(scenario_));
  time_ = WorldTime(driver_->start_at(machine_ns() + soon + lead, scenario_), scenario_.speedup);
  for (const auto& server : servers_) {
    const bool loses_power = std::ranges::any_of(scenario_.faults, [&](const harness::Fault& fault) {
      return fault.kind == harness::FaultKind::power_cut && fault.target == server->spec().name;
    });
    server->start(time_, loses_power);
  }
  bool over = lead == 0;
  EventLoop::Timer wait(*loop_, [&] { over = true; });
  if (!over) wait.set(time_.start_ns() - soon);
  while (!over) loop_->turn();
}

/// Checks the servers by their current clocks.
bool Supervisor::servers_are_settled() {
  return std::ranges::all_of(servers_, [](const auto& server) { return server->is_settled(); });
}

}  // namespace lockproof::real
