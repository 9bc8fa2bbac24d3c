// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/output.hpp"
#include "cli/scenario_files.hpp"
#include "harness/scenario/parse.hpp"
#include "real/run.hpp"
#include "real/side_by_side.hpp"

namespace lockproof::cli {
namespace {

using check::Compared;
using check::Met;
using check::Verdict;
using harness::RunReport;

constexpr unsigned real_jobs_per_core = 2;

std::string broken(const RunReport& report) {
  std::vector<std::string> parts;
  for (const Compared& c : report.properties) {
    if (c.finding.verdict == Verdict::violated) {
      parts.push_back(c.finding.kind.empty() ? c.finding.property
                                             : fmt::format("{}: {}", c.finding.property, c.finding.kind));
    } else if (c.finding.verdict == Verdict::unknown) {
      parts.push_back(fmt::format("{}: unknown", c.finding.property));
    }
  }
  return parts.empty() ? "nothing found" : fmt::format("{}", fmt::join(parts, ", "));
}

/// Where the machine cannot run one of many scenarios, the others are run all the same.
RunReport report_of(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed) {
  try {
    return execute(scenario, world, seed).report;
  } catch (const real::BadEnvironment& e) {
    return not_run(scenario, world, seed, e.what()).report;
  }
}

/// How many at once. Real runs sleep most of the time, but one that finds no processor when it wakes up is late.
unsigned jobs_of(const Arguments& arguments, WorldKind world) {
  if (arguments.jobs) return *arguments.jobs;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return world == WorldKind::real ? cores * real_jobs_per_core : cores;
}

/// All scenarios in one world, reported in their order.
void run_all(const std::vector<harness::Scenario>& scenarios, WorldKind world, const Arguments& arguments,
             const std::function<void(RunReport)>& report) {
  real::side_by_side(
      scenarios.size(), jobs_of(arguments, world),
      [&](std::size_t i) {
        const harness::Scenario& scenario = scenarios[i];
        const RunReport made = report_of(scenario, world, arguments.seed.value_or(scenario.seed));
        return fmt::format("{:.6f}\n{}", made.seconds, verdict_json(made));
      },
      [&](std::size_t i, const std::string& text) {
        RunReport made = harness::report_from_json(text.substr(text.find('\n')));
        made.seconds = std::stod(text);
        made.title = scenarios[i].title;
        report(std::move(made));
      });
}

void print_line(const RunReport& report, const harness::Style& style) {
  const Met met = overall(report.properties);
  const std::string word = met == Met::yes        ? style.good("ok     ")
                           : met == Met::no       ? style.bad("FAILED ")
                           : met == Met::unstated ? style.faint("-      ")
                                                  : style.unsure("unknown");
  const std::string again = report.repeated.empty() ? ""
                                                    : fmt::format("  (run {}, {} too late)", report.repeated.size() + 1,
                                                                  report.repeated.size());
  fmt::print("  {}  {:<9}  {:<52}  {}{}\n", word, report.world, report.file, broken(report), again);
  std::fflush(stdout);
}

void print_details(const RunReport& report, const harness::Style& style) {
  fmt::print("\n{} ({})\n{}reproduce: {}\n", style.strong(report.file), report.world, verdict_text(report, style),
             report.reproduce);
}

}  // namespace

int check_command(const Arguments& arguments) {
  const harness::Style style = style_of_stdout();
  const bool text = arguments.format == "text";
  std::vector<harness::Scenario> scenarios;  // all are read before the first runs
  for (const std::string& file : scenario_files(arguments.paths)) scenarios.push_back(harness::load_scenario(file));

  std::vector<RunReport> reports;
  for (const WorldKind world : {WorldKind::simulated, WorldKind::real}) {
    if (world == WorldKind::real && !arguments.real) continue;
    run_all(scenarios, world, arguments, [&](RunReport report) {
      if (text) print_line(report, style);
      reports.push_back(std::move(report));
    });
  }

  Met worst = Met::yes;
  std::size_t met = 0, unstated = 0;
  for (const RunReport& report : reports) {
    const Met one = overall(report.properties);
    met += one == Met::yes;
    unstated += one == Met::unstated;
    if (one == Met::no || (one == Met::unknown && worst == Met::yes)) worst = one;
    if (text && (one == Met::no || one == Met::unknown)) print_details(report, style);
  }
  if (!arguments.junit.empty()) write_file(arguments.junit, harness::junit(reports));
  if (!arguments.out.empty()) write_file(arguments.out + "/results.json", verdicts_json(reports));
  if (text) {
    fmt::print("\n{} of {} runs of {} scenarios as expected{}\n", met, reports.size(), scenarios.size(),
               unstated > 0 ? fmt::format(", {} not compared: [expect] says nothing of them", unstated) : "");
    if (!arguments.out.empty()) fmt::print("written: {}/results.json\n", arguments.out);
  } else {
    fmt::print("{}", verdicts_json(reports));
  }
  return check::exit_code_of(worst);
}

}  // namespace lockproof::cli
