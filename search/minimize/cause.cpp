// SPDX-License-Identifier: Apache-2.0
#include "search/minimize/cause.hpp"

#include <algorithm>
#include <utility>

#include "harness/check/properties.hpp"
#include "search/core/walk.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

using harness::Fault;
using harness::Scenario;

bool is_client(const Scenario& scenario, const std::string& host) {
  return std::ranges::find(scenario.clients, host, &harness::ClientSpec::name) != scenario.clients.end();
}

/// Where the fault has just struck.
CausePart part_of(const Scenario& scenario, const Fault& fault, World& world) {
  const auto client =
      std::ranges::find(scenario.clients, fault.when ? fault.when->actor : fault.target, &harness::ClientSpec::name);
  harness::Stage stage = harness::Stage::serving;
  if (client != scenario.clients.end()) {
    stage = world.process(static_cast<std::size_t>(client - scenario.clients.begin())).stage();
  }
  if (!fault.when && stage == harness::Stage::serving) stage = harness::Stage::any;
  return {fault.kind, is_client(scenario, fault.target),
          harness::spot_of(fault.kind, stage, fault.when ? fault.when->verb : "")};
}

/// Whether what is known of `one` is also true of `other`.
bool covers(const CausePart& one, const CausePart& other) {
  if (one.kind != other.kind || one.of_client != other.of_client) return false;
  if (one.spot.stage == harness::Stage::any) return true;
  const bool same_verb = one.spot.verb.empty() || one.spot.verb == other.spot.verb;
  return one.spot.stage == other.spot.stage && same_verb;
}

/// What its run says of the violation, with its instants; empty: the run does not break the property so.
std::string finding_of(const Scenario& scenario, const ViolationKind& way) {
  for (const check::Finding& finding : check::judge(run(scenario, scenario.seed), scenario)) {
    const bool violated = finding.verdict == check::Verdict::violated;
    if (violated && finding.property == way.first && finding.kind == way.second) return finding.what;
  }
  return "";
}

/// Whether any wall clock has to be off at the start. Those that need not be are set right.
template <class Host>
bool needs_clocks(Scenario& scenario, std::vector<Host> Scenario::*hosts, const ViolationKind& way,
                  const std::string& finding) {
  bool needed = false;
  for (Host& host : scenario.*hosts) {
    const Duration wall = std::exchange(host.clock.wall, Duration{});
    if (wall == Duration{} || finding_of(scenario, way) == finding) continue;
    host.clock.wall = wall;
    needed = true;
  }
  return needed;
}

}  // namespace

std::vector<CausePart> struck_until(const Scenario& scenario, const ViolationKind& way) {
  ModelFactory models;
  RandomChooser random(scenario.seed);
  ScriptedChooser chooser(scenario.steps, random);
  const harness::Bounds none;
  Walk walk(scenario, none, models, chooser);
  std::vector<CausePart> parts;
  do {
    for (const int struck : walk.shown().struck) {
      const auto fault = static_cast<std::size_t>(struck - 1);
      parts.push_back(part_of(scenario, scenario.faults[fault], walk.world()));
      parts.back().fault = fault;
    }
  } while (std::ranges::find(walk.shown().broken, way) == walk.shown().broken.end() && walk.step());
  return parts;
}

Cause cause_of(const Scenario& scenario, const ViolationKind& way) {
  Scenario fixed = scenario;
  if (fixed.steps.empty()) fixed.steps = schedule_of(scenario, scenario.seed);
  const std::string finding = finding_of(fixed, way);
  for (std::size_t i = fixed.faults.size(); i-- > 0;) {
    Scenario less = fixed;
    less.faults.erase(less.faults.begin() + static_cast<std::ptrdiff_t>(i));
    if (finding_of(less, way) == finding) fixed = std::move(less);
  }
  Cause cause;
  const bool of_clients = needs_clocks(fixed, &Scenario::clients, way, finding);
  cause.clocks = needs_clocks(fixed, &Scenario::servers, way, finding) || of_clients;
  cause.parts = struck_until(fixed, way);
  return cause;
}

bool Cause::keeps(const Scenario& smaller, const ViolationKind& way) const {
  std::vector<CausePart> left = parts;
  for (const CausePart& part : struck_until(smaller, way)) {
    const auto known = std::ranges::find_if(left, [&](const CausePart& one) { return covers(one, part); });
    if (known == left.end()) return false;
    left.erase(known);
  }
  const auto is_off = [](const auto& host) { return host.clock.wall != Duration{}; };
  return !clocks || std::ranges::any_of(smaller.clients, is_off) || std::ranges::any_of(smaller.servers, is_off);
}

std::optional<harness::Spot> Cause::spot_for(const Scenario& scenario, const Fault& fault) const {
  std::optional<harness::Spot> spot;
  const bool of_client = is_client(scenario, fault.target);
  for (const CausePart& part : parts) {
    if (part.kind != fault.kind || part.of_client != of_client) continue;
    const bool by_command = !part.spot.verb.empty() || part.spot.stage == harness::Stage::holding;
    if (part.spot.stage == harness::Stage::any || !by_command || (spot && *spot != part.spot)) return std::nullopt;
    spot = part.spot;
  }
  return spot;
}

}  // namespace lockproof::sim
