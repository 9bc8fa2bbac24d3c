// SPDX-License-Identifier: Apache-2.0
#include "real/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/scenario/names.hpp"
#include "real/board.hpp"
#include "real/run.hpp"

namespace lockproof::real {
namespace {

using harness::Fault;
using harness::FaultKind;

bool is_named(const auto& hosts, std::string_view name) {
  return std::ranges::any_of(hosts, [&](const auto& host) { return host.name == name; });
}

void require_supported(const harness::Scenario& scenario, const Fault& fault, std::size_t number) {
  const bool client = is_named(scenario.clients, fault.target);
  const bool made =
      fault.kind == FaultKind::pause || fault.kind == FaultKind::crash || fault.kind == FaultKind::clock_jump;
  if (!made) {
    throw Unsupported(fmt::format("fault {}: real runs cannot make a {} yet; run it in the simulator", number,
                                  harness::name(fault.kind)));
  }
  if (!client && !is_named(scenario.servers, fault.target)) {
    throw Unsupported(
        fmt::format("fault {}: real runs have faults of clients and servers only, not of '{}'", number, fault.target));
  }
  if (fault.when && !is_named(scenario.clients, fault.when->actor)) {
    throw Unsupported(
        fmt::format("fault {}: a real server cannot be halted at one of its own events ('{} …'); place "
                    "the fault by an event of a client",
                    number, fault.when->actor));
  }
}

}  // namespace

harness::Event strike_event(const harness::Scenario& scenario, std::size_t index) {
  const Fault& fault = scenario.faults.at(index);
  harness::Event event{.what = harness::What::strike};
  event.fault = static_cast<int>(index) + 1;
  event.word = harness::name(fault.kind);
  if (fault.kind == FaultKind::pause) event.value = fault.lasts.count();
  if (fault.kind == FaultKind::clock_jump) event.value = fault.by.count();
  return event;
}

harness::Event heal_event(const harness::Scenario& scenario, std::size_t index) {
  harness::Event event{.what = harness::What::heal};
  event.fault = static_cast<int>(index) + 1;
  event.word = harness::name(scenario.faults.at(index).kind);
  return event;
}

void require_supported(const harness::Scenario& scenario) {
  if (scenario.clients.size() > Board::clients_max) {
    throw Unsupported(
        fmt::format("real runs have room for {} clients, not {}", Board::clients_max, scenario.clients.size()));
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) require_supported(scenario, scenario.faults[i], i + 1);
}

}  // namespace lockproof::real
