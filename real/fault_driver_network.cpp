// SPDX-License-Identifier: Apache-2.0
// FaultDriver's part that takes servers down and cuts what lies between hosts.
#include <algorithm>

#include "real/fault_driver.hpp"
#include "real/faults.hpp"

namespace lockproof::real {

using harness::Fault;
using harness::FaultKind;
using harness::HostIndex;

/// A replica that is told of another master meanwhile does not wait for what that one sends.
void FaultDriver::hold(std::size_t index, HostIndex target, bool on) {
  const Fault& fault = scenario_.faults.at(index);
  const auto both = [&](HostIndex peer) {
    if (fault.way != Fault::Way::from_peer) cast_.proxy->hold(target, peer, on);
    if (fault.way != Fault::Way::to_peer) cast_.proxy->hold(peer, target, on);
    if (cast_.sentinels) cast_.sentinels->cut(target, peer, on);
  };
  if (fault.kind == FaultKind::replication_stall) {
    if (on) stalled_[index] = master_of(target);
    return cast_.proxy->hold(stalled_.at(index), target, on);
  }
  if (!fault.peer.empty()) return both(host_named(fault.peer));
  const auto hosts = first_server() + static_cast<HostIndex>(scenario_.servers.size()) + 1;  // with the resource
  for (HostIndex peer = 0; peer < hosts; ++peer) {
    if (peer != target) both(peer);
  }
}

/// What was on its way is lost, connections break at once, and who connects is refused.
void FaultDriver::take_down(const Fault& fault, HostIndex host, std::size_t index) {
  ServerHost& hit = *server(host);
  const bool paused = state(host).pauses > 0;
  // What has reached the server has run; it may not have been answered. What waits in front of a stopped one is lost.
  if (!paused) hit.finish();
  cast_.proxy->admit(host, false);
  note_(host, strike_event(scenario_, index), {});
  if (fault.kind == FaultKind::power_cut) {
    hit.lose_power();
  } else {
    hit.shut_down();
  }
  cast_.proxy->cut_all(host);
  hit.start_again([this, host, index] {
    if (state(host).pauses > 0) process(host).stop();
    if (state(host).late) bring_up(host, index);
  });
  state(host).late = false;
  at(now() + fault.lasts, [this, host, index] {
    if (server(host)->down()) {
      state(host).late = true;  // it takes longer than the scenario says
    } else {
      bring_up(host, index);
    }
  });
}

void FaultDriver::bring_up(HostIndex host, std::size_t fault) {
  state(host).late = false;
  cast_.proxy->admit(host, true);
  note_(host, heal_event(scenario_, fault), {});
}

/// The replica is promoted with what it has; what is still on its way to it is lost. The other replicas follow it.
void FaultDriver::fail_over(const Fault& fault, HostIndex old) {
  const HostIndex promoted = host_named(fault.peer);
  ServerHost& old_master = *server(old);
  replicate(promoted, harness::no_host);
  if (!fault.old_serves) {
    cast_.proxy->admit(old, false);
    old_master.kill();
    cast_.proxy->cut_all(old);
  }
  for (HostIndex client = 0; client < first_server(); ++client) {
    const std::string& name = scenario_.clients[static_cast<std::size_t>(client)].name;
    const auto& told = fault.to_clients;
    const bool learns = told.empty() || std::ranges::find(told, name) != told.end();
    if (!learns && fault.old_serves) continue;
    for (std::atomic<int>& route : cast_.board.shared().route[client]) {
      if (route.load() == old - first_server()) route.store(promoted - first_server());
    }
    cast_.proxy->cut(client, old);
  }
  for (HostIndex other = first_server(); other < static_cast<HostIndex>(states_.size()); ++other) {
    if (master_of(other) == old) replicate(other, promoted);
  }
}

HostIndex FaultDriver::master_of(HostIndex replica) {
  const int port = server(replica)->master_port();
  for (const auto& [link, at] : cast_.master_ports) {
    if (link.first == replica && at == port) return link.second;
  }
  return harness::no_host;
}

/// Tells a server whom to follow, or nobody. One that stands still is told in a moment in which it does nothing else.
void FaultDriver::replicate(HostIndex replica, HostIndex master) {
  const bool stands = state(replica).pauses > 0;
  cast_.proxy->cut(replica, master_of(replica));
  if (stands) process(replica).go_on();
  server(replica)->replicate_from(master == harness::no_host ? 0 : cast_.master_ports.at({replica, master}));
  if (stands) process(replica).stop();
}

}  // namespace lockproof::real
