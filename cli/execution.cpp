// SPDX-License-Identifier: Apache-2.0
#include "cli/execution.hpp"

#include <fmt/format.h>

#include <chrono>

#include "real/run.hpp"
#include "sim/run.hpp"

namespace lockproof::cli {

namespace {

Execution judged(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed, harness::History history,
                 std::vector<check::Finding> findings) {
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
  report.events = history.events.size();
  report.properties = check::compare(std::move(findings), simulated ? scenario.expect.run : scenario.expect.real);
  execution.history = std::move(history);
  return execution;
}

}  // namespace

Execution not_run(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed, const std::string& reason) {
  return judged(scenario, world, seed, {}, check::all_unknown(reason));
}

Execution execute(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    harness::History history =
        world == WorldKind::simulated ? sim::run(scenario, seed) : real::run(scenario, {.seed = seed});
    std::vector<check::Finding> findings = check::judge(history, scenario);
    Execution execution = judged(scenario, world, seed, std::move(history), std::move(findings));
    execution.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return execution;
  } catch (const real::Unsupported& e) {
    return not_run(scenario, world, seed, e.what());
  }
}

}  // namespace lockproof::cli
