// SPDX-License-Identifier: Apache-2.0
#include "sim/run.hpp"

#include "harness/scenario/names.hpp"
#include "sim/kernel/choosers.hpp"

namespace lockproof::sim {

harness::History run(const harness::Scenario& scenario, std::uint64_t seed, const Options& options) {
  RandomChooser random(seed);
  ScriptedChooser chooser(scenario.steps, random);
  World world(scenario, chooser, options);
  world.run();
  harness::History history = world.take_history();
  history.header.seed = seed;
  for (const std::size_t i : chooser.unused()) {
    harness::Event event{.what = harness::What::unmet, .at = world.now()};
    event.word = harness::to_text(scenario.steps[i].event);
    history.events.insert(history.events.end() - 1, std::move(event));  // before the end
  }
  return history;
}

std::vector<harness::Step> schedule_of(const harness::Scenario& scenario, std::uint64_t seed) {
  RandomChooser random(seed);
  ScriptedChooser scripted(scenario.steps, random);
  RecordingChooser recording(scripted);
  World(scenario, recording, {.record = false, .record_inputs = false, .token_name = {}}).run();
  return recording.steps();
}

}  // namespace lockproof::sim
