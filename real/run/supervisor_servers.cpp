// SPDX-License-Identifier: Apache-2.0
// Supervisor's part that starts the servers, links replicas to their masters, and sets everybody's clocks.
#include <algorithm>

#include "real/client/faults.hpp"
#include "real/run/supervisor.hpp"

namespace lockproof::real {

using harness::HostIndex;

namespace {

constexpr std::int64_t start_after_ns = 5'000'000;   // time for the clients to wake up and wait for the start
constexpr std::int64_t strike_ns_most = 50'000'000;  // time for the faults that strike at the start
constexpr Duration word_after = milliseconds(2500);  // a replica's word comes once a second

bool counts_replicas(const harness::Scenario& scenario) {
  return std::ranges::any_of(scenario.servers, [](const auto& server) { return server.min_replicas_to_write > 0; });
}

/// Whether a master starts again, or who may have become one.
bool master_restarts(const harness::Scenario& scenario) {
  return std::ranges::any_of(scenario.faults, [&](const harness::Fault& fault) {
    const bool ends = fault.kind == harness::FaultKind::restart || fault.kind == harness::FaultKind::power_cut;
    const auto& servers = scenario.servers;
    const auto follows = [&](const auto& other) {
      return !other.replica_of.empty() && scenario.replicate_together(other.name, fault.target);
    };
    return ends && std::ranges::any_of(servers, follows);
  });
}

/// Whether a failover leaves replicas that come to another master. One that does not find it tries again a second
/// later, and says what it has every second.
bool replicas_turn(const harness::Scenario& scenario) {
  const auto replicas = std::ranges::count_if(scenario.servers, [](const auto& s) { return !s.replica_of.empty(); });
  return replicas > 1 && std::ranges::count(scenario.faults, harness::FaultKind::failover, &harness::Fault::kind) > 0;
}

/// What servers do once a second by their monotonic clock matters where a master counts the replicas that it hears
/// from, where replicas look for a master that starts again or for another one, and to sentinels: then it must be a
/// second of the scenario. `port`: where sentinels know the server.
ServerExtras extras_of(const harness::Scenario& scenario, std::size_t index, int port) {
  const harness::ServerSpec& server = scenario.servers[index];
  ServerExtras extras{.whole_life = counts_replicas(scenario) || replicas_turn(scenario) || master_restarts(scenario) ||
                                    !scenario.sentinels.empty()};
  auto& arguments = extras.arguments;
  if (server.min_replicas_to_write > 0) {
    const auto lag = std::chrono::duration_cast<seconds>(server.min_replicas_max_lag);
    arguments = {"--min-replicas-to-write", std::to_string(server.min_replicas_to_write), "--min-replicas-max-lag",
                 std::to_string(lag.count())};
  }
  if (port == 0) return extras;
  arguments.insert(arguments.end(), {"--replica-announce-ip", "127.0.0.1", "--replica-announce-port",
                                     std::to_string(port), "--bind-source-addr", Sentinels::source_of_server(index)});
  const auto& watched = scenario.sentinels;
  const bool promoted = std::ranges::find(watched, server.name, &harness::SentinelSpec::promotes) != watched.end();
  if (!promoted && !server.replica_of.empty()) arguments.insert(arguments.end(), {"--replica-priority", "0"});
  return extras;
}

}  // namespace

void Supervisor::start_servers() {
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) {
    const HostIndex host = first_server() + static_cast<HostIndex>(i);
    const auto dial = [this, i](int) { return dial_port(servers_[i]->process().port()); };
    const bool known = !scenario_.sentinels.empty();
    if (known) public_ports_.push_back(proxy_->listen(Sentinels::callers(scenario_), host, dial));
    const ServerExtras extras = extras_of(scenario_, i, known ? public_ports_.back() : 0);
    servers_.push_back(std::make_unique<ServerHost>(scenario_.servers[i], janitor_, scenario_.scale, extras));
  }
  for (const auto& server : servers_) server->await_ready();
  open_links();
}

/// Where each replica finds its master, and whoever may come to be in its place. A sentinel makes replicas of masters.
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
    servers_[i]->replicate_from(master_ports_.at({first_server() + static_cast<HostIndex>(i), header_host(master)}));
    await([&] { return servers_[i]->in_step(); }, scenario_.servers[i].name + " cannot follow its master");
  }
}

/// With a proxy in between, what a master sends takes as long to its replicas as the scenario says at most.
void Supervisor::replicas_lag() {
  const std::int64_t lag = WorldTime(0, scenario_.scale).machine_ns_of(scenario_.network.replication.most);
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
  const std::int64_t lead = counts_replicas(scenario_) ? WorldTime(0, scenario_.scale).machine_ns_of(word_after) : 0;
  time_ = WorldTime(machine_ns() + soon + lead, scenario_.scale);
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

/// Whether each master that counts its replicas has heard from all of them by the clock that it has now.
bool Supervisor::masters_hear() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const harness::ServerSpec& spec = scenario_.servers[i];
    const auto replicas = std::ranges::count(scenario_.servers, spec.name, &harness::ServerSpec::replica_of);
    if (spec.min_replicas_to_write > 0 && servers_[i]->replicas_heard() < replicas) return false;
  }
  return true;
}

}  // namespace lockproof::real
