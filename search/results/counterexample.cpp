// SPDX-License-Identifier: Apache-2.0
#include "search/results/counterexample.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "harness/check/properties.hpp"
#include "harness/scenario/services.hpp"
#include "search/core/contention.hpp"
#include "search/core/walk.hpp"
#include "search/liveness/probe_client.hpp"
#include "search/reduction/commuting_chooser.hpp"
#include "sim/counted_asks.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/kernel/shrink.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr Duration minutes = seconds(120);  // a scenario has this long to end by itself after the violation
constexpr std::uint64_t seeds = 4;          // a step is dropped if it does not matter with any of these

/// Adds the instants of attempts that a client made because its time to wait had ended.
void add_instants(std::vector<harness::Step>& steps, const std::vector<harness::Step>& asked) {
  for (const harness::Step& ask : asked) {
    const auto known = std::ranges::find(steps, ask.event, &harness::Step::event);
    known == steps.end() ? steps.push_back(ask) : void(known->at = ask.at);
  }
}

/// The time that the scenario has to end by itself after the violation.
Duration horizon_after(Duration violated_at, const harness::Scenario& scenario) {
  return violated_at + minutes + scenario.progress.value_or(Duration{});
}

/// The walk's world offers the reduction's choices; the recorder outside sees all possible events.
harness::Scenario written_down(const harness::Scenario& explored, const harness::Bounds& budget,
                               const ShortestViolation& broken, Duration horizon, Duration& violated_at) {
  ModelFactory models;
  PathChooser path(broken.choices);
  CommutingChooser reduced(path, explored, budget);
  const bool freely = explored.contention != harness::Contention::as_written;
  RecordingChooser recording(broken.reduced ? static_cast<Chooser&>(reduced) : path, freely);
  Walk walk(explored, budget, models, recording);
  reduced.follow(walk.world());
  CountedAsks steps(walk.world()), asked(walk.world());
  const auto count = [&] {
    steps.add_new(recording.steps());
    asked.add_new(walk.world().asked());
  };
  for (int i = 0; i < broken.depth; ++i) {
    walk.step();
    count();
  }
  count();
  harness::Scenario scenario = as_written(explored);
  for (harness::ClientSpec& client : scenario.clients) {
    if (freely && client.plan.failed_attempts) client.plan.attempts = client.plan.failed_attempts;
  }
  for (const int client : walk.world().late_connects()) {
    scenario.clients[static_cast<std::size_t>(client)].plan.connect = harness::ConnectTime::at_first_attempt;
  }
  scenario.faults.assign(walk.world().faults().begin(), walk.world().faults().end());
  scenario.steps = std::move(steps.steps());
  add_instants(scenario.steps, asked.steps());
  violated_at = walk.world().now();
  if (broken.probe_client)
    violated_at = broken.probe_client->start.value_or(violated_at) + broken.probe_client->within * 2;
  for (const int client : walk.world().may_ask()) {  // before that, no client asks in a run either
    scenario.steps.push_back({.event = walk.world().process(static_cast<std::size_t>(client)).name_of_ask(),
                              .takes = std::nullopt,
                              .at = std::chrono::ceil<std::chrono::seconds>(violated_at) + seconds(1)});
  }
  scenario.horizon = std::max(horizon, horizon_after(violated_at, scenario));
  return scenario;
}

/// Looks for a violation in runs: which one, and until when. Running a scenario throws Cancellation on request.
struct ViolationSearch {
  const std::string& property;
  const std::string& kind;
  std::stop_token stop{};
  bool keeps_steps = false;
};

check::Finding finding_of(const harness::Scenario& scenario, std::uint64_t seed, const ViolationSearch& sought) {
  const harness::History history =
      run(scenario, seed, {.record = true, .record_inputs = false, .token_name = {}, .stop = sought.stop});
  for (const check::Finding& finding : check::judge(history, scenario)) {
    if (finding.property == sought.property) return finding;
  }
  return {};
}

bool breaks(const harness::Scenario& scenario, std::uint64_t seed, const ViolationSearch& sought) {
  const check::Finding finding = finding_of(scenario, seed, sought);
  return finding.verdict == check::Verdict::violated && finding.kind == sought.kind;
}

/// Where clients ask freely their acquire_timeout never ends, and refusals do not count.
harness::Scenario with_acquire_timeout(harness::Scenario scenario) {
  for (harness::ClientSpec& client : scenario.clients) {
    client.plan.attempts.reset();
    client.plan.acquire_timeout = harness::for_ever;
  }
  return scenario;
}

/// False if it is stopped before the answer is known.
bool always_breaks(const harness::Scenario& scenario, const ViolationSearch& sought) {
  try {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      look_at(sought.stop);
      if (!breaks(scenario, seed, sought)) return false;
    }
    return true;
  } catch (const Cancellation&) {
    return false;
  }
}

bool is_ask(const harness::Step& step) { return step.event.kind == harness::EventName::Kind::ask; }

/// Keeps a part of the steps of which none can be left out. When it is stopped, it drops no more.
void drop_steps(harness::Scenario& scenario, const ViolationSearch& sought) {
  const std::vector<harness::Step> all = scenario.steps;
  const auto with = [&](const Subset& kept) {
    harness::Scenario smaller = scenario;
    smaller.steps.clear();
    for (const std::size_t i : kept) smaller.steps.push_back(all[i]);
    return smaller;
  };
  const auto breaks = [&](const Subset& kept) { return always_breaks(with(kept), sought); };
  Subset asks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_ask(all[i])) asks.push_back(i);
  }
  Subset kept(all.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (breaks({})) {
    kept.clear();
  } else if (breaks(asks)) {
    kept = asks;
  }
  const auto among_kept = [&](const Subset& places) {
    Subset of;
    for (const std::size_t place : places) of.push_back(kept[place]);
    return of;
  };
  const Subset least = ddmin(kept.size(), [&](const Subset& places) { return breaks(among_kept(places)); });
  scenario = with(among_kept(least));
}

/// The last instant in this direction up to which the property breaks, to one step.
Duration farthest(Duration from, Duration step, const std::function<bool(Duration)>& breaks) {
  Duration good = from, far = step;
  while (std::chrono::abs(far) < seconds(10) && breaks(from + far)) {
    good = from + far;
    far *= 2;
  }
  Duration bad = from + far;
  while (std::chrono::abs(bad - good) > std::chrono::abs(step)) {
    const Duration middle = good + (bad - good) / 2 / step * step;
    (breaks(middle) ? good : bad) = middle;
  }
  return good;
}

/// The multiple of the largest unit that lies between the two; the first one if they are too close.
Duration roundest(Duration least, Duration most) {
  constexpr Duration units[] = {seconds(60),       seconds(10),       seconds(5),       seconds(1),
                                milliseconds(500), milliseconds(100), milliseconds(50), milliseconds(10),
                                milliseconds(5),   milliseconds(1)};
  for (const Duration unit : units) {
    const Duration multiple = (least + unit - Duration(1)) / unit * unit;
    if (multiple <= most) return multiple;
  }
  return least;
}

Counterexample with_its_run(harness::Scenario scenario, const std::stop_token& stop) {
  harness::History history = run(scenario, scenario.seed, {.token_name = {}, .stop = stop});
  harness::Expectations& expected = scenario.expect.run.emplace();
  for (const check::Finding& finding : check::judge(history, scenario)) {
    const std::string word(check::name(finding.verdict));
    if (finding.verdict == check::Verdict::not_found) continue;
    expected.emplace(finding.property, finding.kind.empty() ? word : finding.kind);
  }
  expect_of_servers(scenario);
  return {std::move(scenario), std::move(history), false};
}

/// The schedule as a scenario that should break the property.
std::optional<Counterexample> shown_by(harness::Scenario scenario, bool freely, Duration violated_at,
                                       const ViolationSearch& sought) {
  if (freely && !breaks(scenario, scenario.seed, sought)) {
    harness::Scenario limited = with_acquire_timeout(scenario);
    if (breaks(limited, scenario.seed, sought)) scenario = std::move(limited);
  }
  if (!breaks(scenario, scenario.seed, sought)) {
    scenario.horizon = violated_at;  // a more serious violation after it would hide it
    const check::Finding shown = finding_of(scenario, scenario.seed, sought);
    if (shown.verdict != check::Verdict::violated) return std::nullopt;
    if (shown.kind != sought.kind) return Counterexample{std::move(scenario), {}, true};
  }
  if (!sought.keeps_steps) drop_steps(scenario, sought);
  return with_its_run(std::move(scenario), sought.stop);
}

/// One latency in the place of a range, if the property breaks with it: then all of the run is in round numbers.
harness::Scenario with_one_latency(const harness::Scenario& scenario, const ViolationSearch& sought) {
  for (const Duration latency : {scenario.network.latency.most, scenario.network.latency.least}) {
    harness::Scenario simple = scenario;
    simple.network.latency = {latency, latency};
    if (breaks(simple, simple.seed, sought)) return simple;
  }
  return scenario;
}

std::optional<Counterexample> numbered(const ShortestViolation::ConcreteRun& found, Duration horizon,
                                       const ViolationSearch& sought) {
  harness::Scenario scenario = found.scenario;
  const Duration soon = horizon_after(found.violated_at, scenario);
  scenario.horizon = std::max(horizon, soon);
  try {
    scenario = with_one_latency(scenario, sought);
    const bool needs_all = scenario.network.latency.is_range;  // what is left open would be drawn to the microsecond
    return shown_by(scenario, true, found.violated_at, {sought.property, sought.kind, sought.stop, needs_all});
  } catch (const Cancellation&) {
    scenario.horizon = std::min(scenario.horizon, soon);
    return shown_by(std::move(scenario), true, found.violated_at, {sought.property, sought.kind, {}, true});
  }
}

}  // namespace

std::optional<Counterexample> counterexample(const harness::Scenario& searched, const harness::Bounds& budget,
                                             const std::string& property, const std::string& kind,
                                             const ShortestViolation& broken, Duration horizon,
                                             const std::stop_token& stop, bool keeps_steps) {
  if (broken.drawn) return as_counterexample(*broken.drawn, {property, kind});
  if (broken.numbered) return numbered(*broken.numbered, horizon, {property, kind, stop});
  harness::Scenario explored = broken.probe_client ? with_probe_client(searched, *broken.probe_client) : searched;
  if (broken.as_written) explored = as_written(std::move(explored));
  Duration violated_at{};
  const harness::Bounds& within = broken.within ? *broken.within : budget;
  harness::Scenario scenario = written_down(explored, within, broken, horizon, violated_at);
  scenario.explore.reset();
  scenario.expect = {};
  scenario.seed = 1;
  const bool freely = explored.contention != harness::Contention::as_written;
  try {
    return shown_by(scenario, freely, violated_at, {property, kind, stop, keeps_steps});
  } catch (
      const Cancellation&) {  // its runs take too long: the scenario ends soon after the violation, with all its steps
    scenario.horizon = std::min(scenario.horizon, horizon_after(violated_at, scenario));
    return shown_by(std::move(scenario), freely, violated_at, {property, kind, {}, true});
  }
}

void drop_steps(Counterexample& from, const std::string& property, const std::string& kind,
                const std::stop_token& stop) {
  const std::size_t before = from.scenario.steps.size();
  if (before > 0) drop_steps(from.scenario, {property, kind, stop});
  if (from.scenario.steps.size() < before) from = with_its_run(std::move(from.scenario), {});
}

std::optional<Counterexample> as_counterexample(harness::Scenario scenario, const ViolationKind& way) {
  harness::History history = run(scenario, scenario.seed);
  harness::Expectations expected;
  bool breaks = false;
  for (const check::Finding& finding : check::judge(history, scenario)) {
    const std::string word(check::name(finding.verdict));
    breaks |=
        finding.verdict == check::Verdict::violated && finding.property == way.first && finding.kind == way.second;
    if (finding.verdict == check::Verdict::not_found) continue;
    expected.emplace(finding.property, finding.kind.empty() ? word : finding.kind);
  }
  if (!breaks) return std::nullopt;
  scenario.explore.reset();
  scenario.expect = {};
  scenario.expect.run = std::move(expected);
  expect_of_servers(scenario);
  return Counterexample{std::move(scenario), std::move(history), false};
}

int events_until(const harness::Scenario& scenario, const ViolationKind& way) {
  ModelFactory models;
  RandomChooser random(scenario.seed);
  ScriptedChooser chooser(scenario.steps, random);
  const harness::Bounds none;
  Walk walk(scenario, none, models, chooser);
  for (int events = 0;; ++events) {
    if (std::ranges::find(walk.shown().broken, way) != walk.shown().broken.end()) return events;
    if (!walk.step()) return events;
  }
}

void round_asks(Counterexample& shown, const std::string& property, const std::string& kind,
                const std::stop_token& stop) {
  const ViolationSearch sought{property, kind, stop};
  harness::Scenario scenario = shown.scenario;
  bool moved = false;
  for (harness::Step& step : scenario.steps) {
    if (!is_ask(step) || stop.stop_requested()) continue;
    const Duration found = step.at.value_or(Duration{});
    const auto breaks = [&](Duration at) {
      step.at = at;
      return at >= Duration{} && always_breaks(scenario, sought);
    };
    const Duration first = farthest(found, milliseconds(-1), breaks), last = farthest(found, milliseconds(1), breaks);
    const Duration round = roundest(first + (last - first) / 4, last - (last - first) / 4);
    if (!breaks(round)) step.at = found;
    moved = moved || *step.at != found;
  }
  if (moved) shown = with_its_run(std::move(scenario), {});
}

std::string why_only_simulated(const harness::Scenario& scenario) {
  if (!scenario.steps.empty()) return "it needs the order of its [[step]]s, which real servers do not follow";
  return std::string(harness::simulated_only(scenario));
}

void expect_of_servers(harness::Scenario& scenario) {
  if (!scenario.program || !scenario.expect.run || !why_only_simulated(scenario).empty()) return;
  scenario.expect.real = scenario.expect.run;
  std::erase_if(*scenario.expect.real, [](const auto& expected) { return expected.second == "unknown"; });
}

}  // namespace lockproof::sim
