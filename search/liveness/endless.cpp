// SPDX-License-Identifier: Apache-2.0
#include "search/liveness/endless.hpp"

#include <algorithm>
#include <set>

#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "search/core/contention.hpp"
#include "search/liveness/endless_graph.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/run.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::Event;
using harness::What;

namespace {

constexpr std::size_t lassos_max = 50;        // examined for each client, for each of: others get the lock, or not
constexpr int turns = 3;                      // two of them are judged
constexpr Duration standstill = seconds(60);  // its length if nothing happens any more

/// The result of running a lasso in a world.
struct LassoRun {
  std::vector<harness::Step> steps;
  std::vector<harness::Fault> faults;
  harness::History history;
  Duration begins{}, ends{};              // of the first turn
  std::size_t first = 0, after_last = 0;  // indices of its events
};

LassoRun told(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models,
              const Choices& choices, const Lasso& lasso) {
  PathChooser path(choices);
  RecordingChooser recording(path);
  World world(scenario, recording,
              {.record = true,
               .record_inputs = false,
               .token_name = {},
               .budget = &budget,
               .encoding = false,
               .models = &models});
  LassoRun told;
  const auto go = [&](std::size_t events) {
    while (events-- > 0) world.step();
  };
  go(lasso.stem.size() - 1);  // the first one has made the world
  told.begins = world.now();
  told.first = world.history().events.size();
  go(lasso.turn.size());
  told.ends = world.now();
  told.after_last = world.history().events.size();
  go(lasso.turn.size() * (turns - 1));
  told.steps = recording.steps();
  told.faults.assign(world.faults().begin(), world.faults().end());
  told.history = world.take_history();
  return told;
}

/// Whether the lock is renewed during the turn, and whether its holder's worker is still alive.
enum class RenewalSource : std::uint8_t { no, by_worker, by_nobody };

RenewalSource renewed(const harness::History& history, std::size_t first, std::size_t after_last) {
  std::set<harness::HostIndex> dead;
  RenewalSource renewed = RenewalSource::no;
  for (std::size_t i = 0; i < after_last; ++i) {
    const Event& event = history.events[i];
    if (event.what == What::strike && event.word == "kill-task") dead.insert(event.host);
    if (i < first || event.what != What::renewed) continue;
    renewed = dead.contains(event.host) ? RenewalSource::by_nobody : RenewalSource::by_worker;
  }
  return renewed;
}

std::string kind_of(const Lasso& lasso, const Loop& loop, const std::string& stands) {
  const auto tries = [&](std::size_t i) {
    const Event& event = loop.history.events[i];
    return event.what == What::attempt && event.host == static_cast<harness::HostIndex>(lasso.client);
  };
  bool tried = false;
  for (std::size_t i = loop.begins; i < loop.ends; ++i) tried = tried || tries(i);
  if (lasso.others_get_it) return tried ? "starvation" : "lost-wakeup";
  switch (renewed(loop.history, loop.begins, loop.ends)) {
    case RenewalSource::by_nobody: return "orphan-watchdog";
    case RenewalSource::by_worker: return "unbounded-extension";
    case RenewalSource::no: break;
  }
  return stands;
}

/// The lasso as a scenario; nothing if its run does not show the lasso.
std::optional<Loop> shown(const harness::Scenario& scenario, const Lasso& lasso, LassoRun told, Duration horizon) {
  Loop loop;
  loop.client = scenario.clients[lasso.client].name;
  loop.faults = lasso.faults;
  loop.stem = lasso.stem.size() - 1;
  loop.turn = lasso.turn.size();
  loop.stem_lasts = told.begins;
  loop.turn_lasts = told.ends - told.begins;
  loop.begins = told.first;
  loop.ends = told.after_last;
  loop.scenario = scenario;
  loop.scenario.faults = std::move(told.faults);
  loop.scenario.steps = std::move(told.steps);
  loop.scenario.explore.reset();
  loop.scenario.expect = {};
  loop.scenario.takeover.reset();
  loop.scenario.notice.reset();
  loop.scenario.seed = 1;
  const bool ends = lasso.turn.empty();
  const Duration bound = ends ? standstill : (turns - 1) * loop.turn_lasts;
  loop.scenario.progress = loop.scenario.waiting = bound;
  loop.scenario.horizon = ends ? std::max(horizon, told.begins + bound * 2) : told.begins + turns * loop.turn_lasts;
  loop.history = run(loop.scenario, loop.scenario.seed, {.record = true, .record_inputs = false, .token_name = {}});
  const auto& events = loop.history.events;
  const std::size_t same = std::min(events.size(), told.history.events.size());
  if (same < loop.ends ||
      !std::equal(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(same), told.history.events.begin())) {
    return std::nullopt;
  }
  std::string stands = "never-released";
  harness::Expectations& expected = loop.scenario.expect.run.emplace();
  for (const check::Finding& finding : check::judge(loop.history, loop.scenario)) {
    if (finding.verdict == check::Verdict::not_found) continue;
    expected.emplace(finding.property, finding.kind.empty() ? std::string(check::name(finding.verdict)) : finding.kind);
    const bool stands_still = finding.property == "deadlock-freedom" || finding.property == "fault-tolerance";
    if (stands_still && !finding.kind.empty()) stands = finding.kind;
  }
  loop.kind = kind_of(lasso, loop, stands);
  return loop;
}

/// Looks for lassos in the whole graph, and adds those that a world confirms.
void add_loops(EndlessGraph& graph, const harness::Scenario& scenario, const harness::Bounds& budget,
               const std::stop_token& stop, Duration horizon, EndlessRuns& result) {
  std::set<std::string> kinds;
  for (const Lasso& lasso : graph.cycles().lassos(lassos_max, stop)) {
    look_at(stop);
    std::vector<std::uint32_t> events = lasso.stem;
    for (int turn = 0; turn < turns; ++turn) events.insert(events.end(), lasso.turn.begin(), lasso.turn.end());
    const std::optional<Choices> choices = graph.along(events);
    std::optional<Loop> loop;
    if (choices) {
      loop = shown(scenario, lasso, told(scenario, budget, graph.models(), *choices, lasso), horizon);
    }
    if (!loop) {
      result.differs = true;
      continue;
    }
    if (kinds.insert(loop->kind).second) result.loops.push_back(std::move(*loop));
  }
}

}  // namespace

harness::Scenario endless(harness::Scenario scenario, const harness::Bounds& bounds, bool alone) {
  std::vector<bool> for_ever;
  for (const harness::ClientSpec& client : scenario.clients) {
    for_ever.push_back(client.plan.rounds == harness::rounds_for_ever);
  }
  scenario = as_written(bounded(std::move(scenario), bounds, alone));
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    harness::Plan& plan = scenario.clients[i].plan;
    if (for_ever[i]) plan.rounds = harness::rounds_for_ever;
    plan.attempts.reset();
    plan.acquire_timeout = harness::for_ever;
  }
  return scenario;
}

EndlessRuns search_endless(const harness::Scenario& scenario, const harness::Bounds& bounds, const Limits& limits,
                           Duration horizon) {
  require_searchable(scenario);
  if (scenario.has_several_locks()) {
    throw harness::InputError(
        scenario.file, 0,
        "takes locks of several names, of which a search for endless schedules follows one alone; "
        "[judge] progress bounds how long clients may wait for each other");
  }
  const harness::Bounds budget = bounds.without_idle_entries();
  EndlessGraph graph(scenario, budget, limits);
  EndlessRuns result;
  result.stopped = graph.search();
  result.complete = result.stopped.empty();
  result.states = graph.states() - 1;
  result.transitions = graph.cycles().events().size();
  result.bytes = graph.bytes();
  result.drawn = graph.drawn();
  result.shown = graph.shown();
  // In an incomplete graph an act may have more outcomes than are known, so nothing is certain to be an end component.
  if (!result.complete) return result;
  try {
    add_loops(graph, scenario, budget, limits.stop, horizon, result);
  } catch (const Cancellation&) {
    result.stopped = "it was stopped";
    result.complete = false;
  }
  return result;
}

}  // namespace lockproof::sim
