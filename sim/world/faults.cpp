// SPDX-License-Identifier: Apache-2.0
// World's part that strikes: how each fault changes the world, and how it heals.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/scenario/names.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::Fault;
using harness::FaultKind;
using harness::HostIndex;
using harness::What;
using harness::When;

void World::server_happens(When::Moment moment, Connection& connection, const Message& message) {
  Server& server = server_of(connection);
  if (server.triggers.none()) return;
  const auto striking = server.triggers.happens(moment, message.command.verb(), name(connection.client), message.round);
  for (const std::size_t fault : striking) provoke(fault, &connection, message.number);
}

void World::provoke(std::size_t number, Connection* connection, int message) {
  const Fault& fault = scenario_.faults[number];
  if (fault.kind == FaultKind::drop && connection) {
    (fault.reply ? connection->replies : connection->requests).dead_from = message;
  }
  if (fault.delay == Duration{}) {
    strike(number);
  } else {
    plans_.push_back({now_ + fault.delay, number, false});
  }
}

void World::strike(std::size_t number) {
  const Fault& fault = scenario_.faults[number];
  const HostIndex target = history_.host_named(fault.target);
  const bool client = target < first_server();
  if (client && processes_[static_cast<std::size_t>(target)]->crashed()) return;

  harness::Event event{.what = What::strike};
  event.fault = static_cast<int>(number) + 1;
  event.word = harness::name(fault.kind);
  if (fault.kind == FaultKind::pause) event.value = fault.lasts.count();
  if (fault.kind == FaultKind::clock_jump) event.value = fault.by.count();
  note(target, clocks(target), std::move(event));

  switch (fault.kind) {
    case FaultKind::pause:
      pause(target);
      plans_.push_back({now_ + fault.lasts, number, true});
      return;
    case FaultKind::crash: return processes_[static_cast<std::size_t>(target)]->crash();
    case FaultKind::clock_jump: return clocks(target).jump(fault.by);
    case FaultKind::drop: return;  // the line is dead already, see provoke
    default: return;
  }
}

void World::heal(std::size_t number) {
  const Fault& fault = scenario_.faults[number];
  const HostIndex target = history_.host_named(fault.target);
  const bool client = target < first_server();
  if (client && processes_[static_cast<std::size_t>(target)]->crashed()) return;

  harness::Event event{.what = What::heal};
  event.fault = static_cast<int>(number) + 1;
  event.word = harness::name(fault.kind);
  note(target, clocks(target), std::move(event));
  wake(target);
}

void World::pause(HostIndex host) {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->pause();
  ++servers_[static_cast<std::size_t>(host - first_server())]->pauses;
}

void World::wake(HostIndex host) {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->wake();
  Server& server = *servers_[static_cast<std::size_t>(host - first_server())];
  if (--server.pauses > 0) return;
  auto waiting = std::exchange(server.inbox, {});
  while (!waiting.empty()) {
    deliver(std::move(waiting.front()));
    waiting.pop_front();
  }
}

}  // namespace lockproof::sim
