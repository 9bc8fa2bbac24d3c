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
  master_ports_ = master_ports(scenario_, [this](std::size_t server, HostIndex replica) {
    return public_ports_.empty() ? endpoint_of(server, replica).port : public_ports_[server];
  });
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
