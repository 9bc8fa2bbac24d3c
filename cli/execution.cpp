// SPDX-License-Identifier: Apache-2.0
#include "cli/execution.hpp"

#include <fmt/format.h>

#include <chrono>

#include "real/run.hpp"
#include "sim/run.hpp"

namespace lockproof::cli {

Execution execute(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed) {
  const bool simulated = world == WorldKind::simulated;
  Execution execution;
  harness::RunReport& report = execution.report;
  report.scenario = scenario.name;
  report.file = scenario.file;
  report.title = scenario.title;
  report.algorithm = scenario.algorithm->name;
  report.world = simulated ? "simulated" : "real";
  report.seed = seed;
  report.reproduce = fmt::format("lockproof {} {} --seed {}", simulated ? "run" : "real", scenario.file, seed);

  const auto begin = std::chrono::steady_clock::now();
  std::vector<check::Finding> findings;
  try {
    execution.history = simulated ? sim::run(scenario, seed) : real::run(scenario, {.seed = seed});
    findings = check::judge(execution.history, scenario);
  } catch (const real::Unsupported& e) {
    findings = check::all_unknown(e.what());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.events = execution.history.events.size();
  report.properties = check::compare(std::move(findings), simulated ? scenario.expect.run : scenario.expect.real);
  return execution;
}

}  // namespace lockproof::cli
