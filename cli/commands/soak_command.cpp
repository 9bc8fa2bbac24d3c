// SPDX-License-Identifier: Apache-2.0
// soak: random faults against real servers, for a while.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/options/server_options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/scenario_output.hpp"
#include "execution/soak_report.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
#include "harness/report/soaked.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/trace.hpp"
#include "harness/scenario/file/parse_bounds.hpp"

namespace lockproof::cli {
namespace {

using execution::soak;
using execution::SoakOrder;
using execution::SoakResult;
using harness::SoakedReport;

constexpr Duration minimizing_most = seconds(30);  // for each way
constexpr double for_runs = 0.7;                   // of the time, once something was found: the rest makes it small
constexpr unsigned jobs_per_core = 8;              // a run is waiting, mostly

std::string time_of(const Arguments& arguments) { return arguments.time.empty() ? soak_by_default : arguments.time; }

void refuse_what_does_not_fit(const Arguments& arguments, const harness::Scenario& scenario) {
  if (arguments.budget.empty() && !scenario.explore) {
    throw harness::InputError(scenario.file, 0,
                              "there are no faults to draw from: add --budget FILE, as in scenarios/budgets");
  }
}

std::string reproduce_text(const Arguments& arguments, const harness::Scenario& scenario, std::uint64_t seed) {
  return fmt::format("lockproof soak {}{}{} --time {}{}{} --seed {}", harness::shell_word(scenario.called),
                     algorithm_words(arguments), program_words(arguments), time_of(arguments),
                     arguments.budget.empty() ? "" : " --budget " + harness::shell_word(arguments.budget),
                     arguments.max_faults ? fmt::format(" --max-faults {}", *arguments.max_faults) : "", seed);
}

sim::MinimizeOrder minimize_order(ExploreWatch& watch, const std::string& property) {
  sim::MinimizeOrder order;
  order.limits.stop = watch.guard().stop();
  order.limits.stop_telling = watch.guard().stop_telling();
  order.limits.workers = std::max(1u, std::thread::hardware_concurrency());
  order.limits.go_on = [&watch, property](const sim::Progress& progress) {
    return watch.go_on(fmt::format("{}: looking for the smallest cause, {} states", property, progress.states));
  };
  return order;
}

void print(const SoakedReport& r) {
  const harness::Style style = style_of_stdout();
  print_text(style, fmt::format("{}\n{}, real, under random faults, seed {}\n\n{}",
                                style.strong(harness::heading(r.title, r.scenario)), r.algorithm, r.seed,
                                soaked_text(r, style)));
  fmt::print("{}\n", style.command("reproduce: ", r.reproduce));
}

/// A run that violated something.
void keep(const std::string& folder, std::uint64_t number, const harness::Scenario& scenario,
          const harness::History& history) {
  const std::string here = fmt::format("{}/run-{}", folder, number);
  save_file(here + "/scenario.toml", scenario.text);
  save_file(here + "/history.jsonl", to_jsonl(history));
  save_file(here + "/trace.txt", trace(history, harness::Style(false)));
}

}  // namespace

int soak_command(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const harness::Scenario scenario = scenario_of(arguments);
  refuse_what_does_not_fit(arguments, scenario);
  const bool alone = !arguments.budget.empty();
  harness::Bounds budget = alone ? harness::load_budget(arguments.budget, scenario) : *scenario.explore;
  if (arguments.max_faults) budget.max_faults = *arguments.max_faults;
  const harness::Scenario soaked = execution::soaked_scenario(scenario, budget, alone);
  SoakOrder order{.scenario = &soaked, .budget = &budget};
  execution::make_survey(order);
  order.seed = arguments.seed.value_or(scenario.seed);
  const std::optional<Duration> lasts = time_from(time_of(arguments));
  order.jobs =
      arguments.workers ? arguments.workers : jobs_per_core * std::max(1u, std::thread::hardware_concurrency());
  order.first = arguments.find == "first";
  order.programs = arguments.programs;
  if (!arguments.out.empty()) order.keep = std::bind_front(keep, arguments.out + "/runs");
  StopReason stopped = StopReason::none;
  SoakResult found;
  {
    ExploreWatch watch(lasts, std::nullopt);
    watch.line().show("running on real servers");
    order.go_on = [&](std::uint64_t runs, std::size_t causes) {
      const bool goes_on = watch.go_on(fmt::format("{} runs on real servers, {} violations", runs, causes));
      return goes_on && (causes == 0 || watch.seconds() < for_runs * std::chrono::duration<double>(*lasts).count());
    };
    found = soak(order);
    stopped = watch.stop();
  }
  std::optional<ExploreWatch> watch;
  const execution::SoakReportOrder about{
      .scenario = scenario,
      .budget = alone ? arguments.budget : "[explore]",
      .reproduce = reproduce_text(arguments, scenario, order.seed),
      .out = arguments.out,
      .write = [](const std::string& path, const harness::Scenario& found_one) { save_scenario(path, found_one); },
      .begin_minimizing = [&](const std::string& property) -> std::optional<sim::MinimizeOrder> {
        watch.reset();
        const auto passed = std::chrono::steady_clock::now() - begin;
        const Duration left = *lasts - std::chrono::duration_cast<Duration>(passed);
        if (stopped == StopReason::interrupted || left <= Duration{}) return std::nullopt;
        watch.emplace(std::min(left, minimizing_most), bytes_from(arguments.memory));
        return minimize_order(*watch, property);
      }};
  SoakedReport report = execution::soak_report(order, found, about);
  watch.reset();
  report.interrupted = stopped == StopReason::interrupted;
  if (!arguments.out.empty()) save_file(arguments.out + "/soak.json", soaked_json(report));
  if (arguments.format == "json") {
    fmt::print("{}", soaked_json(report));
  } else {
    print(report);
  }
  return exit_code_of(report);
}

}  // namespace lockproof::cli
