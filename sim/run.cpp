// SPDX-License-Identifier: Apache-2.0
#include "sim/run.hpp"

#include <algorithm>

#include "harness/scenario/names.hpp"
#include "sim/counted_asks.hpp"
#include "sim/kernel/choosers.hpp"

namespace lockproof::sim {

harness::History run(const harness::Scenario& scenario, Chooser& otherwise, const Options& options) {
  ScriptedChooser chooser(scenario.steps, otherwise);
  World world(scenario, chooser, options);
  world.run();
  harness::History history = world.take_history();
  for (const std::size_t i : chooser.unused()) {
    harness::Event event{.what = harness::What::unmet, .at = world.now()};
    event.word = harness::to_text(scenario.steps[i].event);
    history.events.insert(history.events.end() - 1, std::move(event));  // inserted before the end event
  }
  return history;
}

harness::History run(const harness::Scenario& scenario, std::uint64_t seed, const Options& options) {
  RandomChooser random(seed);
  harness::History history = run(scenario, random, options);
  history.header.seed = seed;
  return history;
}

RunRecord write_down(const harness::Scenario& scenario, Chooser& otherwise, const harness::Bounds* budget) {
  const auto freely = [](const harness::ClientSpec& client) { return client.plan.asking != harness::AskPolicy::polls; };
  ScriptedChooser scripted(scenario.steps, otherwise);
  RecordingChooser recording(scripted, std::ranges::any_of(scenario.clients, freely));
  World world(scenario, recording, {.record = false, .record_inputs = false, .token_name = {}, .budget = budget});
  CountedAsks steps(world), asked(world);
  do {
    steps.add_new(recording.steps());
    asked.add_new(world.asked());
  } while (world.step());
  auto instant = asked.steps().begin();
  for (harness::Step& step : steps.steps()) {
    if (step.event.kind == harness::EventName::Kind::ask && !step.at) step.at = (instant++)->at;
  }
  return {{world.faults().begin(), world.faults().end()}, std::move(steps.steps())};
}

std::vector<harness::Step> schedule_of(const harness::Scenario& scenario, std::uint64_t seed) {
  RandomChooser random(seed);
  return write_down(scenario, random, nullptr).steps;
}

}  // namespace lockproof::sim
