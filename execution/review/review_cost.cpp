// SPDX-License-Identifier: Apache-2.0
#include "execution/review/review_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/file/parse.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using harness::What;

/// As a lock polls that is not told of a release; those which are told do not.
constexpr Duration poll = milliseconds(100);

harness::History run(const harness::Scenario& scenario) {
  return sim::run(scenario, scenario.seed, {.record_inputs = false, .token_name = {}});
}

std::size_t commands(const harness::History& history) {
  return static_cast<std::size_t>(std::ranges::count_if(history.events, [&](const harness::Event& event) {
    return event.what == What::send && history.host_kind(event.peer) == harness::HostKind::server;
  }));
}

std::optional<Duration> takeover(const harness::History& history) {
  std::optional<Duration> crashed;
  for (const harness::Event& event : history.events) {
    if (event.what == What::strike) crashed = event.at;
    if (event.what == What::granted && crashed) return event.at - *crashed;
  }
  return std::nullopt;
}

}  // namespace

Cost cost_of(const Review& review, Setting setting, const std::string& name) {
  setting.budget.clear();
  setting.clients = 1;
  const harness::Scenario alone = harness::parse_scenario(name, scenario_of(review, setting));
  setting.clients = 2;
  harness::Scenario crash = harness::parse_scenario(name, scenario_of(review, setting));
  crash.clients.back().plan.start = milliseconds(10);
  crash.clients.back().plan.retry = poll;
  crash.clients.back().plan.acquire_timeout = harness::for_ever;
  harness::Fault fault{.kind = harness::FaultKind::crash, .target = "client-1"};
  fault.when = harness::EventPlace{.actor = "client-1", .moment = harness::EventPlace::Moment::enters};
  crash.faults.push_back(fault);
  const auto free = takeover(run(crash));
  constexpr Duration tenth = milliseconds(100);
  const std::string when =
      free ? fmt::format("free {} after a crash", harness::in_seconds((*free + tenth - Duration(1)) / tenth * tenth))
           : "never free after a crash";
  return {fmt::format("{} commands, {}", commands(run(alone)), when), free};
}

}  // namespace lockproof::execution
