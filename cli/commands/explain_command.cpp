// SPDX-License-Identifier: Apache-2.0
// explain: what happened in a violation, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "execution/explain/boundary.hpp"
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
  try {
    return harness::from_jsonl(harness::text_of(file.string()));
  } catch (const harness::BadHistory& e) {
    throw harness::BadHistory(fmt::format("{}: {}", file.string(), e.what()));
  }
}

std::string property_words(const Arguments& arguments) {
  return arguments.property.empty() ? "" : " --property " + arguments.property;
}

/// How the verdict changes with an amount.
int tell_boundary(const Arguments& arguments, const harness::Scenario& scenario, const execution::ExplainOrder& order,
                  ExploreWatch& watch) {
  harness::BoundaryReport report = execution::boundary(scenario, arguments.boundary, arguments.property, order);
  watch.line().clear();
  report.reproduce = fmt::format("lockproof explain {} --boundary {}{}", harness::shell_word(arguments.paths.front()),
                                 report.key, property_words(arguments));
  report.out = arguments.out;
  if (!report.out.empty()) {
    save_file(report.out + "/boundary.svg", boundary_svg(report));
    save_file(report.out + "/boundary.json", boundary_json(report));
    if (!unwritten().empty()) report.out.clear();
  }
  if (arguments.format == "json") {
    fmt::print("{}", boundary_json(report));
  } else {
    const harness::Style style = style_of_stdout();
    print_text(style, fmt::format("{}\n{}", style.strong(harness::heading(scenario.title, scenario.name)),
                                  boundary_text(report)));
    fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
  }
  const auto open = [](const harness::BoundaryPoint& point) {
    return point.answer == harness::BoundaryPoint::Answer::unknown;
  };
  const bool known = !edges(report).empty() || std::ranges::none_of(report.points, open);
  return known ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace

int explain_command(const Arguments& arguments) {
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));
  const std::string& path = arguments.paths.front();
  std::optional<harness::History> run = history_at(path);
  harness::Scenario scenario =
      run ? harness::parse_scenario(run->header.scenario_file, run->header.scenario_text) : scenario_from_file(path);
  if (run) scenario.seed = run->header.seed;
  scenario.seed = arguments.seed.value_or(scenario.seed);
  if (scenario.program) put_in_virtual_time(scenario, arguments);
  execution::ExplainOrder order;
  order.limits.work = arguments.states;
  order.limits.workers = arguments.workers ? arguments.workers : std::max(1u, std::thread::hardware_concurrency());
  order.limits.stop = watch.guard().stop();
  order.limits.stop_telling = watch.guard().stop_telling();
  order.tell = [&](const std::string& doing) { watch.line().show("searching: " + doing); };
  watch.line().show("searching for the violation");
  if (!arguments.boundary.empty()) return tell_boundary(arguments, scenario, order, watch);
  auto report = execution::explain(scenario, arguments.property, run ? &*run : nullptr, order);
  watch.line().clear();
  if (!report) {
    complain(fmt::format("{}: there is nothing to explain: no violation was found in {}", harness::printable(path),
                         run ? "this run" : "its run, nor in its other schedules as far as they were searched"));
    return check::exit_code::not_violated;
  }
  report->reproduce = "lockproof explain " + harness::shell_word(path) + property_words(arguments);
  if (arguments.format == "json") {
    fmt::print("{}", explained_json(*report));
  } else {
    const harness::Style style = style_of_stdout();
    print_text(style, fmt::format("{}\n{}\n", style.strong(harness::heading(scenario.title, scenario.name)),
                                  explained_text(*report)));
    fmt::print("{}\n", style.command("reproduce: ", report->reproduce));
  }
  return check::exit_code::met;
}

}  // namespace lockproof::cli
