// SPDX-License-Identifier: Apache-2.0
// frontier: which sets of faults break a lock, and which do not.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/commands/frontier_inputs.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/scenario_output.hpp"
#include "execution/frontier/frontier.hpp"
#include "harness/program/virtual_program.hpp"
#include "harness/report/text/executed.hpp"
#include "real/os/side_by_side.hpp"

namespace lockproof::cli {
namespace {

using execution::FrontierAnswer;
using execution::FrontierQuestion;
using harness::FrontierReport;

/// What a process that searches tells the one that asked it: a word that says what follows, and that.
namespace word {
constexpr std::string_view found = "found\n", not_a_function = "not a function\n", no_memory = "no memory\n";
}  // namespace word
constexpr char behind_text = '\f';  // behind what is unwritten, and behind the text about programs; JSON has none

std::string programs_text(const FrontierQuestion& search) {
  const auto programs = harness::executed_of(search.scenario);
  return programs ? executed_text(*programs) : "";
}

/// With its scenarios in the folder of --out. `shows`: how far it is, on a terminal.
FrontierAnswer answer_of(const Arguments& arguments, const FrontierQuestion& question, unsigned workers, bool shows) {
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory), shows);
  const execution::FrontierOrder order{.limits = watch.limits(workers),
                                       .why_stopped = [&] { return watch.stop(); },
                                       .seconds = [&] { return watch.seconds(); },
                                       .given = {arguments.time, arguments.memory},
                                       .budget_file = arguments.budget,
                                       .max_faults = arguments.max_faults,
                                       .out = arguments.out};
  FrontierAnswer answer = execution::frontier(question, order);
  for (const auto& [path, scenario] : answer.breaking) save_scenario(path, scenario);
  for (const auto& [path, text] : answer.harmless) save_file(path, text);
  return answer;
}

std::string message_of(const Arguments& arguments, const FrontierQuestion& search, unsigned workers) {
  try {
    const FrontierAnswer found = answer_of(arguments, search, workers, false);
    return fmt::format("{}{}{}{}{}{}", word::found, unwritten(), behind_text, programs_text(search), behind_text,
                       harness::frontier_json({found.report}));
  } catch (const harness::NotAFunction& e) {
    return fmt::format("{}{}", word::not_a_function, e.what());
  } catch (const std::bad_alloc&) {
    return std::string(word::no_memory);
  }
}

/// Throws what the search threw.
std::pair<FrontierReport, std::string> report_from(const std::string& text) {
  const std::string_view kind = std::string_view(text).substr(0, text.find('\n') + 1);
  const std::string rest = text.substr(kind.size());
  if (kind == word::not_a_function) throw harness::NotAFunction(rest);
  if (kind == word::no_memory) throw std::bad_alloc();
  const std::size_t programs = rest.find(behind_text) + 1, json = rest.find(behind_text, programs) + 1;
  if (programs > 1) keep_unwritten(rest.substr(0, programs - 1));
  return {harness::frontiers_from_json(rest.substr(json)).front(), rest.substr(programs, json - 1 - programs)};
}

/// As many as there are workers, and as the machine has memory for, should each take all that it may.
unsigned searches_at_once(const Arguments& arguments, std::size_t searches) {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t fit = std::max<std::uint64_t>(1, pages * page / bytes_from(arguments.memory));
  return static_cast<unsigned>(std::min({std::uint64_t{workers_of(arguments)}, std::uint64_t{searches}, fit}));
}

/// Gets each report, with the text about the programs that the search ran.
using Take = std::function<void(FrontierReport, const std::string& programs)>;

void search_one_by_one(const Arguments& arguments, const std::vector<FrontierQuestion>& all, const Take& take) {
  for (const FrontierQuestion& search : all) {
    FrontierAnswer found = answer_of(arguments, search, workers_of(arguments), true);
    take(std::move(found.report), programs_text(search));
    if (found.interrupted) return;
  }
}

/// Each in a process of its own: limits of memory are each search's. One that is learning uses one core, so two
/// searches at once take less time than one after the other with two workers each.
void search_side_by_side(const Arguments& arguments, const std::vector<FrontierQuestion>& all, unsigned at_once,
                         const Take& take) {
  ExploreWatch watch(std::nullopt, std::nullopt);
  std::size_t done = 0;
  const unsigned workers = workers_of(arguments) / at_once;
  real::side_by_side(
      all.size(), at_once, [&](std::size_t i) { return message_of(arguments, all[i], workers); },
      [&](std::size_t, const std::string& text) {
        ++done;
        watch.line().clear();
        auto [report, programs] = report_from(text);
        take(std::move(report), programs);
      },
      [&] { return watch.go_on(done, all.size(), fmt::format("searches, {} at once", at_once)); });
}

}  // namespace

int frontier_command(const Arguments& arguments) {
  const harness::Style style = style_of_stdout();
  std::vector<FrontierReport> reports;
  const Take take = [&](FrontierReport report, const std::string& programs) {
    if (arguments.format == "text") print_text(style, fmt::format("{}{}", frontier_text(report, style), programs));
    std::fflush(stdout);
    reports.push_back(std::move(report));
  };
  const std::vector<FrontierQuestion> all = frontier_questions_of(arguments);
  const unsigned at_once = searches_at_once(arguments, all.size());
  at_once > 1 ? search_side_by_side(arguments, all, at_once, take) : search_one_by_one(arguments, all, take);
  return write_frontiers(arguments, reports, all.size());
}

int write_frontiers(const Arguments& arguments, const std::vector<FrontierReport>& reports, std::size_t all) {
  const auto is_whole = [](const FrontierReport& report) { return report.stopped.empty() && report.vacuous.empty(); };
  const bool whole = reports.size() == all && std::ranges::all_of(reports, is_whole);
  if (!arguments.out.empty()) {
    save_file(arguments.out + "/frontier.json", harness::frontier_json(reports));
    save_file(arguments.out + "/frontier.md", frontier_markdown(reports));
  }
  if (arguments.format == "json") fmt::print("{}", harness::frontier_json(reports));
  if (arguments.format == "markdown") fmt::print("{}", frontier_markdown(reports));
  return whole ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
