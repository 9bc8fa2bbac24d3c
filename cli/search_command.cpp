// SPDX-License-Identifier: Apache-2.0
// run --runs N: many random schedules of one scenario.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/parse.hpp"
#include "sim/explore/random_search.hpp"
#include "sim/run.hpp"

namespace lockproof::cli {
namespace {

using check::Finding;
using check::Verdict;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// On a terminal, a line that is written over; nothing where the output goes elsewhere.
std::function<bool(std::uint64_t)> progress_line(std::uint64_t runs, Clock::time_point begin) {
  if (!isatty(STDERR_FILENO)) return nullptr;
  auto last = std::make_shared<double>(0);
  return [=](std::uint64_t done) {
    const double now = seconds_since(begin);
    if (now - *last < 0.2) return true;
    *last = now;
    const double rate = static_cast<double>(done) / now;
    fmt::print(stderr, "\r{} of {} runs, {:.0f} a second, {:.0f} s left ", done, runs, rate,
               static_cast<double>(runs - done) / rate);
    std::fflush(stderr);
    return true;
  };
}

std::vector<Finding> findings_of(const sim::SearchResult& result) {
  std::vector<Finding> findings;
  for (const check::Property& property : check::properties()) {
    if (const auto violated = result.violated.find(property.name); violated != result.violated.end()) {
      Finding finding = violated->second.finding;
      finding.what = fmt::format("{} of {} runs, first with seed {}: {}", violated->second.runs, result.runs,
                                 violated->second.first_seed, finding.what);
      findings.push_back(std::move(finding));
    } else if (const auto unknown = result.unknown.find(property.name); unknown != result.unknown.end()) {
      findings.push_back(unknown->second.finding);
    } else {
      findings.push_back({std::string(property.name),
                          Verdict::not_found,
                          "",
                          fmt::format("no finding in {} runs: p < {:.2g} at 95 % under this sampler", result.runs,
                                      3.0 / static_cast<double>(result.runs)),
                          {}});
    }
  }
  return findings;
}

/// The scenario with the schedule of one seed written out: it runs to the same without that seed.
std::string scenario_with_steps(const harness::Scenario& scenario, std::uint64_t seed) {
  std::string text = scenario.text + "\n# The schedule of seed " + std::to_string(seed) + "\n";
  for (const harness::Step& step : sim::schedule_of(scenario, seed)) {
    text += fmt::format("\n[[step]]\nevent = \"{}\"\n", harness::to_text(step.event));
    if (step.takes) text += fmt::format("takes = \"{}\"\n", harness::to_text(*step.takes));
  }
  return text;
}

}  // namespace

int search_command(const Arguments& arguments) {
  const harness::Scenario scenario = harness::load_scenario(arguments.paths.front());
  const std::uint64_t first = arguments.seed.value_or(scenario.seed), runs = *arguments.runs;
  const Clock::time_point begin = Clock::now();
  const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
  const auto progress = progress_line(runs, begin);
  const sim::SearchResult result = sim::random_search(scenario, first, runs, workers, progress);
  if (progress) fmt::print(stderr, "\r{:60}\r", "");
  fmt::print(stderr, "{} runs in {:.1f} s on {} cores, {:.0f} a second\n", result.runs, seconds_since(begin), workers,
             static_cast<double>(result.runs) / seconds_since(begin));

  harness::RunReport report;
  report.scenario = scenario.name;
  report.file = scenario.file;
  report.title = scenario.title;
  report.algorithm = scenario.algorithm->name;
  report.world = "simulated";
  report.seed = first;
  report.events = result.events;
  report.runs = result.runs;
  for (const auto& [property, tally] : result.violated) report.violated[property] = tally.runs;
  report.reproduce = fmt::format("lockproof run {} --runs {} --seed {}", scenario.file, runs, first);
  report.properties = check::compare(findings_of(result), scenario.expect.run);
  if (!arguments.out.empty()) write_file(arguments.out + "/verdict.json", verdict_json(report));
  for (const auto& [property, tally] : result.violated) {
    const std::string file = fmt::format("{}/{}-{}.toml", arguments.out, scenario.name, property);
    if (!arguments.out.empty()) write_file(file, scenario_with_steps(scenario, tally.first_seed));
    report.reproduce = arguments.out.empty()
                           ? fmt::format("lockproof run {} --seed {}", scenario.file, tally.first_seed)
                           : fmt::format("lockproof run {}", file);
  }
  if (!arguments.junit.empty()) write_file(arguments.junit, harness::junit({report}));
  if (arguments.format == "json") {
    fmt::print("{}", verdict_json(report));
  } else {
    fmt::print("{}\n{}, {} random runs from seed {}\n\n{}reproduce: {}\n", report.title, report.algorithm, result.runs,
               first, verdict_text(report, style_of_stdout()), report.reproduce);
  }
  return check::exit_code_of(overall(report.properties));
}

}  // namespace lockproof::cli
