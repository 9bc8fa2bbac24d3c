// SPDX-License-Identifier: Apache-2.0
// What a fuzzing run found, as a report and as scenarios.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "execution/fuzz/fuzz_report.hpp"
#include "harness/check/properties.hpp"
#include "harness/report/answers/explained.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {

using harness::FuzzReport;

namespace {

harness::FuzzViolation as_way(const std::string& property, const std::string& kind, const sim::Tally& tally) {
  return {property, kind, tally.runs, tally.first, tally.finding.what, tally.finding.events};
}

std::string within(const FuzzSpace& space) {
  if (!space.bounds) return "";
  std::vector<std::string> kinds;
  for (const auto& entry : space.bounds->budget) kinds.emplace_back(harness::name(entry.kind));
  const std::string bounds = fmt::format("the bounds of {}", space.budget);
  if (kinds.empty()) return bounds + ", no faults";
  return fmt::format("{}, at most {} fault{} of: {}", bounds, space.bounds->max_faults,
                     space.bounds->max_faults == 1 ? "" : "s", fmt::join(kinds, ", "));
}

std::set<std::string> why_no_bound(unsigned broken) {
  std::set<std::string> reasons;
  if (broken & sim::pct::faults) reasons.emplace("faults strike, which are no matter of order");
  if (broken & sim::pct::timed) reasons.emplace("time passes in the runs, so priorities do not decide alone");
  if (broken & sim::pct::drew) {
    reasons.emplace("durations, or the order of two events of one thread, were drawn");
  }
  if (broken & sim::pct::longer) reasons.emplace("a run had more events than the first ones");
  return reasons;
}

}  // namespace

FuzzReport fuzz_report(const FuzzSpace& space, const sim::FuzzResult& found, const FuzzWords& words) {
  const harness::Scenario& scenario = space.scenario;
  FuzzReport r;
  r.run.describe(scenario);
  r.run.world = "simulated";
  r.run.seed = space.order.seed;
  r.run.events = found.events;
  r.run.runs = found.runs;
  r.run.ignores_expect = space.alone;
  r.strategy = name(space.order.strategy);
  r.depth = space.order.depth;
  r.budget = space.budget;
  r.within = within(space);
  if (space.bounds && space.bounds->max_faults > 0) {
    for (const auto& entry : space.bounds->budget) r.never_struck.emplace(harness::name(entry.kind));
    for (const std::string& kind : found.struck) r.never_struck.erase(kind);
  }
  r.asked = space.order.runs;
  r.part = space.order.shard.part;
  r.of = space.order.shard.of;
  for (const auto& [way, tally] : found.violated) r.violated.push_back(as_way(way.first, way.second, tally));
  for (const auto& [property, tally] : found.unknown) r.unknown.push_back(as_way(property, "", tally));
  r.of_program = space.fuzzed.program.has_value();
  for (const check::Property& property : check::properties_of(space.fuzzed)) {
    if (!check::states_bound(property, space.fuzzed)) r.not_judged.emplace_back(property.name);
    if (check::is_asked_for(property)) r.asked_for.emplace_back(property.name);
    if (!check::is_claimed(property, space.fuzzed)) r.not_claimed.emplace_back(property.name);
  }
  r.fresh = found.fresh;
  r.met = found.met;
  r.bounded = space.order.strategy == sim::Strategy::pct && found.broken_premises == 0;
  r.unbounded = why_no_bound(found.broken_premises);
  r.threads = found.threads;
  r.k = found.k;
  r.scenario_digest = words.scenario_digest;
  r.budget_digest = words.budget_digest;
  r.build = words.build;
  r.command = words.command;
  if (!words.runs_stated) r.asked = found.runs;  // what the time was enough for
  r.run.reproduce = reproduce_text(r);
  return r;
}

std::string scenario_text(const FuzzSpace& space, const sim::ViolationKind& way, const sim::Tally& tally,
                          const std::string& folder) {
  if (space.bounds || space.another_lock || space.scenario.algorithm.is_file() ||
      space.order.strategy == sim::Strategy::guided) {
    harness::Scenario found = as_scenario(space.fuzzed, space.order, way, tally);
    found.title = fmt::format("{}: {}{}", way.first, way.second.empty() ? "violated" : way.second,
                              found.title.empty() ? "" : ". " + found.title);
    return to_toml(found, folder);
  }
  const harness::Scenario& scenario = space.scenario;
  std::string text = fmt::format("{}\n# The schedule of seed {}\n", scenario.text, space.order.seed + tally.first);
  for (const harness::Step& step : write_down(scenario, space.order, tally).steps) {
    text += fmt::format("\n[[step]]\nevent = \"{}\"\n", harness::to_text(step.event));
    if (step.takes) text += fmt::format("takes = \"{}\"\n", harness::to_text(*step.takes));
  }
  return text;
}

std::string happened_in(const FuzzSpace& space, const sim::FuzzResult& found, const FuzzReport& report,
                        const std::stop_token& stop) {
  const harness::FuzzViolation* const worst = execution::worst(report);
  const auto way = worst ? found.violated.find(sim::ViolationKind{worst->property, worst->kind}) : found.violated.end();
  if (way == found.violated.end() || worst->property == "exercised") return "";
  const harness::Scenario shown = as_scenario(space.fuzzed, space.order, way->first, way->second);
  try {
    const harness::History history = sim::run(shown, shown.seed, {.token_name = {}, .stop = stop});
    return harness::first_sentence(history, check::judge(history, shown));
  } catch (const sim::Cancellation&) {
    return "";
  }
}

}  // namespace lockproof::execution
