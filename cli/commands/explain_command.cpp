// SPDX-License-Identifier: Apache-2.0
// explain: what happened in a violation, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "cli/reports/explore_watch.hpp"
#include "execution/explain/explain.hpp"
#include "harness/check/expectation.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse.hpp"

namespace lockproof::cli {
namespace {

/// A folder that a run wrote with --out, or its history.jsonl; else a scenario.
std::optional<harness::History> history_at(const std::string& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path + "/history.jsonl" : path;
  if (file.extension() != ".jsonl") return std::nullopt;
  return harness::from_jsonl(harness::text_of(file.string()));
}

}  // namespace

int explain_command(const Arguments& arguments) {
  const std::string& path = arguments.paths.front();
  std::optional<harness::History> run = history_at(path);
  harness::Scenario scenario = run ? harness::parse_scenario(run->header.scenario_file, run->header.scenario_text)
                                   : harness::load_scenario(path);
  if (run) scenario.seed = run->header.seed;
  scenario.seed = arguments.seed.value_or(scenario.seed);
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));
  execution::ExplainLimits limits;
  limits.trial.states = arguments.states;
  limits.trial.bytes = no_limit;  // the guard counts all of the process
  limits.trial.workers = arguments.workers ? arguments.workers : std::max(1u, std::thread::hardware_concurrency());
  limits.trial.stop = watch.guard().stop();
  limits.trial.stop_telling = watch.guard().stop_telling();
  auto report = execution::explain(scenario, arguments.property, run ? &*run : nullptr, limits);
  if (!report) {
    fmt::print(stderr, "lockproof: {}: there is nothing to explain: no violation was found in {}\n",
               harness::printable(path),
               run ? "this run" : "its run, nor in its other schedules as far as they were searched");
    return check::exit_code::not_violated;
  }
  report->reproduce = "lockproof explain " + harness::shell_word(path) +
                      (arguments.property.empty() ? "" : " --property " + arguments.property);
  if (arguments.format == "json") {
    fmt::print("{}", explained_json(*report));
  } else {
    const harness::Style style = style_of_stdout();
    fmt::print("{}\n{}\nreproduce: {}\n", style.strong(harness::heading(scenario.title, scenario.name)),
               explained_text(*report), report->reproduce);
  }
  return check::exit_code::met;
}

}  // namespace lockproof::cli
