// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/counterexample.hpp"

#include <algorithm>

#include "harness/check/properties.hpp"
#include "sim/explore/commuting_chooser.hpp"
#include "sim/explore/newcomer.hpp"
#include "sim/explore/path_chooser.hpp"
#include "sim/explore/walk.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr Duration minutes = seconds(120);  // to end by itself after the violation
constexpr std::uint64_t seeds = 4;          // with all of which a step must not matter to be dropped

/// The walk's world offers the reduction's choices; who writes them down sees all that could have happened.
harness::Scenario written_down(const harness::Scenario& explored, const harness::Bounds& budget, const Broken& broken,
                               Duration horizon, Duration& violated_at) {
  redis::ScriptEngine scripts;
  PathChooser path(broken.choices);
  CommutingChooser reduced(path, explored, budget);
  RecordingChooser recording(broken.reduced ? static_cast<Chooser&>(reduced) : path);
  Walk walk(explored, budget, scripts, recording);
  reduced.follow(walk.world());
  for (int i = 0; i < broken.depth; ++i) walk.step();
  harness::Scenario scenario = explored;
  scenario.faults.assign(walk.world().faults().begin(), walk.world().faults().end());
  scenario.steps = recording.steps();
  violated_at = walk.world().now();
  if (broken.newcomer) violated_at = broken.newcomer->start.value_or(violated_at) + broken.newcomer->within * 2;
  scenario.horizon = std::max(horizon, violated_at + minutes + scenario.progress.value_or(Duration{}));
  return scenario;
}

check::Finding finding_of(const harness::Scenario& scenario, std::uint64_t seed, const std::string& property) {
  const harness::History history = run(scenario, seed, {.record = true, .record_inputs = false, .token_name = {}});
  for (const check::Finding& finding : check::judge(history, scenario)) {
    if (finding.property == property) return finding;
  }
  return {};
}

bool breaks(const harness::Scenario& scenario, std::uint64_t seed, const std::string& property,
            const std::string& kind) {
  const check::Finding finding = finding_of(scenario, seed, property);
  return finding.verdict == check::Verdict::violated && finding.kind == kind;
}

bool always_breaks(const harness::Scenario& scenario, const std::string& property, const std::string& kind) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    if (!breaks(scenario, seed, property, kind)) return false;
  }
  return true;
}

/// All at once if none is needed, else one after the other, the latest first.
void drop_steps(harness::Scenario& scenario, const std::string& property, const std::string& kind) {
  harness::Scenario smaller = scenario;
  smaller.steps.clear();
  if (always_breaks(smaller, property, kind)) {
    scenario.steps.clear();
    return;
  }
  for (std::size_t i = scenario.steps.size(); i-- > 0;) {
    smaller = scenario;
    smaller.steps.erase(smaller.steps.begin() + static_cast<std::ptrdiff_t>(i));
    if (always_breaks(smaller, property, kind)) scenario.steps = smaller.steps;
  }
}

}  // namespace

std::optional<Counterexample> counterexample(const harness::Scenario& searched, const harness::Bounds& budget,
                                             const std::string& property, const std::string& kind, const Broken& broken,
                                             Duration horizon) {
  const harness::Scenario explored = broken.newcomer ? with_newcomer(searched, *broken.newcomer) : searched;
  Duration violated_at{};
  harness::Scenario scenario = written_down(explored, budget, broken, horizon, violated_at);
  scenario.explore.reset();
  scenario.expect = {};
  scenario.seed = 1;
  if (!breaks(scenario, scenario.seed, property, kind)) {
    scenario.horizon = violated_at;  // what comes after it breaks the property in a worse way, which would hide it
    const check::Finding shown = finding_of(scenario, scenario.seed, property);
    if (shown.verdict != check::Verdict::violated) return std::nullopt;
    if (shown.kind != kind) return Counterexample{std::move(scenario), {}, true};
  }
  drop_steps(scenario, property, kind);
  harness::History history = run(scenario, scenario.seed);
  harness::Expectations& expected = scenario.expect.run.emplace();
  for (const check::Finding& finding : check::judge(history, scenario)) {
    const std::string word(check::name(finding.verdict));
    if (finding.verdict == check::Verdict::not_found) continue;
    expected.emplace(finding.property, finding.kind.empty() ? word : finding.kind);
  }
  return Counterexample{std::move(scenario), std::move(history), false};
}

}  // namespace lockproof::sim
