// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/derived.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/history/history.hpp"
#include "harness/report/text/told_fault.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using harness::Scenario;
using harness::What;

constexpr const char* boundaries = "docs/semantics/boundaries.md";
constexpr Duration tick = milliseconds(1);  // a key lives through the millisecond of its stamp

Duration lease_of(const Scenario& scenario) {
  return scenario.clients.front().plan.lease.value_or(scenario.algorithm->lease);
}

struct Stay {
  Duration asked{}, entered{}, left{};
};

/// The first time that one client is inside, where there is no other, with the faults that strike it.
std::optional<Stay> alone(const Scenario& scenario, std::size_t client) {
  Scenario one = scenario;
  one.clients = {scenario.clients[client]};
  one.steps.clear();
  one.explore.reset();
  one.horizon = harness::for_ever;
  std::optional<Stay> stay;
  std::optional<Duration> asked;
  for (const harness::Event& event : sim::run(one, one.seed).events) {
    if (event.what == What::attempt && !asked) asked = event.at;
    if (event.what == What::enter && !stay) stay = Stay{*asked, event.at, event.at};
    if (event.what != What::exit || !stay) continue;
    stay->left = event.at;
    return stay;
  }
  return std::nullopt;
}

/// One server without replicas, messages that all take as long, two clients or more, of one round and one lease.
bool is_plain(const Scenario& scenario) {
  const harness::Window& way = scenario.network.latency;
  const auto same = [&](const harness::ClientSpec& client) {
    return client.plan.rounds == 1 && client.plan.lease == scenario.clients.front().plan.lease;
  };
  return scenario.servers.size() == 1 && way.least == way.most && scenario.clients.size() > 1 && !scenario.period &&
         std::ranges::all_of(scenario.clients, same);
}

bool is_one_of(const Scenario& scenario, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, std::string_view(scenario.algorithm->name)) != names.end();
}

/// A holder that is paused, of a lock whose key goes with its lease.
std::optional<Derivation> paused(const Scenario& scenario) {
  if (!is_one_of(scenario, {"set-px-token", "set-px-thread-id", "fenced-token"}) || !is_plain(scenario)) return {};
  if (scenario.faults.empty()) return {};
  const std::string& holder = scenario.faults.front().target;
  const auto pauses_it = [&](const harness::Fault& fault) {
    return fault.kind == harness::FaultKind::pause && fault.target == holder;
  };
  if (!std::ranges::all_of(scenario.faults, pauses_it)) return {};
  const auto client = std::ranges::find(scenario.clients, holder, &harness::ClientSpec::name);
  if (client == scenario.clients.end()) return {};
  const auto stay = alone(scenario, static_cast<std::size_t>(client - scenario.clients.begin()));
  if (!stay) return {};
  return Derivation{"both are inside iff the holder, with its pauses, is inside for the lease and 1 ms or longer",
                    boundaries, stay->left - stay->entered >= lease_of(scenario) + tick};
}

/// GETSET, with a rival whose clock is ahead.
std::optional<Derivation> ahead(const Scenario& scenario) {
  if (!is_one_of(scenario, {"getset-timestamp", "getset-timestamp-004"}) || !is_plain(scenario)) return {};
  if (!scenario.faults.empty()) return {};
  const auto wall = [](const harness::ClientSpec& client) { return client.clock.wall; };
  const auto behind = std::ranges::min_element(scenario.clients, {}, wall);
  const Duration skew = wall(*std::ranges::max_element(scenario.clients, {}, wall)) - wall(*behind);
  const auto stay = alone(scenario, static_cast<std::size_t>(behind - scenario.clients.begin()));
  if (!stay) return {};
  const int ways = scenario.algorithm->name == "getset-timestamp" ? 6 : 2;
  const Duration edge = lease_of(scenario) - skew + tick + ways * scenario.network.latency.least;
  return Derivation{ways == 6
                        ? "both are inside iff the holder leaves (lease - skew + 1 ms + 6 ways of a message) after "
                          "it read its stamp, or later"
                        : "both are inside iff the holder leaves (lease - skew + 1 ms + 2 ways of a message) after "
                          "it read its stamp, or later",
                    boundaries, stay->left - stay->asked >= edge};
}

}  // namespace

std::optional<Derivation> derived(const Scenario& scenario, const std::string& property) {
  if (property != "mutual-exclusion") return std::nullopt;
  for (const auto rule : {paused, ahead}) {
    if (auto found = rule(scenario)) return found;
  }
  return std::nullopt;
}

}  // namespace lockproof::execution
