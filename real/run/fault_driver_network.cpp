// SPDX-License-Identifier: Apache-2.0
// FaultDriver's part that takes servers down and cuts what lies between hosts.
#include <algorithm>
#include <utility>

#include "real/client/faults.hpp"
#include "real/clock/world_time.hpp"
#include "real/run/fault_driver.hpp"

namespace lockproof::real {

using harness::Event;
using harness::Fault;
using harness::FaultKind;
using harness::HostIndex;
using harness::What;

namespace {

constexpr std::int64_t look_every_ns = 2'000'000;

}  // namespace

/// A replica that gets another master meanwhile does not wait for that master's messages.
void FaultDriver::hold(std::size_t index, HostIndex target, bool on) {
  const Fault& fault = scenario_.faults.at(index);
  const auto both = [&](HostIndex peer) {
    if (fault.direction != Fault::Direction::from_peer) hold_between(target, peer, on);
    if (fault.direction != Fault::Direction::to_peer) hold_between(peer, target, on);
    if (cast_.monitors) cast_.monitors->cut(target, peer, on);
  };
  if (fault.kind == FaultKind::replication_stall && scenario_.ensemble)
    return cast_.service->stall(static_cast<std::size_t>(target - first_server()), on);
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

/// What the servers of an ensemble say to each other does not pass the proxy of the clients.
void FaultDriver::hold_between(HostIndex from, HostIndex to, bool on) {
  const auto index_of = [&](HostIndex host) { return static_cast<std::size_t>(host - first_server()); };
  const auto is_member = [&](HostIndex host) {
    return scenario_.ensemble && host >= first_server() && index_of(host) < scenario_.servers.size();
  };
  if (!is_member(from) || !is_member(to)) return cast_.proxy->hold(from, to, on);
  cast_.service->hold_between(index_of(from), index_of(to), on);
}

/// By the event at which it is placed it ends at the server; else at the client.
void FaultDriver::break_connection(const Fault& fault, HostIndex client) {
  const HostIndex server = host_named(fault.peer);
  if (fault.when && fault.when->actor == fault.peer) return cast_.proxy->end_at_server(client, server);
  cast_.proxy->end_at_client(client, server);
}

/// Messages in flight are lost, connections break at once, and new connections are refused.
void FaultDriver::take_down(const Fault& fault, HostIndex host, std::size_t index) {
  ServerHost& hit = *server(host);
  const bool paused = state(host).pauses > 0;
  // Commands that have reached the server have run, perhaps without a reply. Those that wait in front of a stopped one
  // are lost.
  if (!paused) hit.finish();
  cast_.proxy->admit(host, false);
  state(host).down = true;
  const bool may_lose = !paused && hit.shows(scenario_.lock);
  const std::size_t strike = note_(host, strike_event(scenario_, index), {});
  if (fault.kind == FaultKind::power_cut) {
    hit.lose_power();
  } else {
    hit.shut_down();
  }
  cast_.proxy->end_at_server(host);
  hit.start_again([this, host, index, strike, may_lose] {
    if (may_lose && !server(host)->has(scenario_.lock)) {
      cast_.add_effect(strike, {harness::Change::evicted, "flushed", scenario_.lock, std::nullopt});
    }
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
  state(host).down = state(host).late = false;
  if (master_port(host) != 0) tell_to_follow(host, master_port(host));
  cast_.proxy->admit(host, true);
  note_(host, heal_event(scenario_, fault), {});
  for (HostIndex other = first_server(); other < static_cast<HostIndex>(states_.size()); ++other) {
    if (master_of(other) == host) copies(other);
  }
}

/// The replica is promoted with what it has; what is still on its way to it is lost. The other replicas follow it.
void FaultDriver::fail_over(const Fault& fault, HostIndex old) {
  const HostIndex promoted = host_named(fault.peer);
  ServerHost& old_master = *server(old);
  replicate(promoted, harness::no_host);
  if (!fault.old_serves) {
    state(old).down = true;
    cast_.proxy->admit(old, false);
    old_master.kill();
    cast_.proxy->end_at_server(old);
  }
  for (HostIndex client = 0; client < first_server(); ++client) {
    const std::string& name = scenario_.clients[static_cast<std::size_t>(client)].name;
    const auto& told = fault.to_clients;
    const bool learns = told.empty() || std::ranges::find(told, name) != told.end();
    if (!learns && fault.old_serves) continue;
    cast_.lead(client, old, promoted);
    cast_.proxy->end_at_client(client, old);
  }
  for (HostIndex other = first_server(); other < static_cast<HostIndex>(states_.size()); ++other) {
    if (master_of(other) == old) replicate(other, promoted);
  }
}

/// The port of its master; 0: it has none.
int FaultDriver::master_port(HostIndex replica) {
  Replication* const replication = server(replica)->replication();
  return replication ? replication->master_port() : 0;
}

HostIndex FaultDriver::master_of(HostIndex replica) {
  const int port = master_port(replica);
  for (const auto& [link, at] : cast_.master_ports) {
    if (link.first == replica && at == port) return link.second;
  }
  return harness::no_host;
}

/// A stopped server gets the command in a moment in which it does nothing else, one that is down when it is up.
void FaultDriver::replicate(HostIndex replica, HostIndex master) {
  const int port = master == harness::no_host ? 0 : cast_.master_ports.at({replica, master});
  cast_.proxy->cut(replica, master_of(replica));
  state(replica).down ? server(replica)->replication()->follows(port) : tell_to_follow(replica, port);
}

void FaultDriver::tell_to_follow(HostIndex replica, int port) {
  const bool stands = state(replica).pauses > 0;
  if (stands) process(replica).go_on();
  server(replica)->replication()->replicate_from(port);
  if (stands) process(replica).stop();
  if (port != 0) copies(replica);
}

void FaultDriver::copies(HostIndex replica) {
  if (std::exchange(state(replica).copies, true)) return;
  at(time_.at(machine_ns() + look_every_ns), [this, replica] { look_for_copy(replica); });
}

/// A server's log does not show copies: a copy is taken to have been made when the replica says that its link is up.
void FaultDriver::look_for_copy(HostIndex replica) {
  const HostIndex master = master_of(replica);
  if (master == harness::no_host) {  // it has been promoted
    state(replica).copies = false;
    return;
  }
  const bool answers = !state(replica).down && state(replica).pauses == 0;
  if (!answers || !server(replica)->replication()->in_step()) {
    return at(time_.at(machine_ns() + look_every_ns), [this, replica] { look_for_copy(replica); });
  }
  state(replica).copies = false;
  Event copy{.what = What::copy};
  copy.peer = replica;
  note_(master, std::move(copy), {});
  Event copied{.what = What::replicate};
  copied.peer = master;
  copied.command = Command({"FULLRESYNC"});
  note_(replica, std::move(copied), {});
}

}  // namespace lockproof::real
