// SPDX-License-Identifier: Apache-2.0
// run --runs N: many schedules of one scenario, drawn by a strategy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/commands/fuzz_output.hpp"
#include "cli/options/fuzz_options.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "execution/auto_strategy.hpp"
#include "execution/fuzz/fuzz_report.hpp"
#include "harness/report/text/digest.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

using execution::Choice;
using execution::choose;
using harness::FuzzReport;

/// Ends the fuzzing run when the time is up or Ctrl-C is pressed, and tells how far it is.
class Watch {
 public:
  explicit Watch(const FuzzOptions& options)
      : guard_(options.time, std::nullopt), line_("drawing runs", options.time),
        runs_(sim::runs_of(options.order.shard, options.order.runs)),
        ends_(options.order.runs < (std::uint64_t{1} << 60)) {}

  bool go_on(std::uint64_t done) {
    if (line_.is_shown()) show(done);
    return guard_.may_go_on();
  }
  [[nodiscard]] const LimitGuard& guard() const { return guard_; }
  [[nodiscard]] double seconds() const { return guard_.seconds(); }
  void end(std::uint64_t runs, unsigned workers) {
    line_.clear();
    print_note(fmt::format("{} runs in {:.1f} s on {} cores, {:.0f} a second\n", runs, seconds(), workers,
                           static_cast<double>(runs) / seconds()));
  }

 private:
  void show(std::uint64_t done) {
    const std::string rate = fmt::format("runs, {:.0f} a second", static_cast<double>(done) / seconds());
    ends_ ? line_.show(done, runs_, rate) : line_.show(fmt::format("{} {}", done, rate));
  }

  LimitGuard guard_;
  ProgressLine line_;
  const std::uint64_t runs_;
  const bool ends_;
};

bool is_violation(const sim::FuzzResult& found) {
  return std::ranges::any_of(found.violated, [](const auto& one) { return one.first.first != "exercised"; });
}

FuzzReport report_of(const Arguments& arguments, const FuzzOptions& options, const sim::FuzzResult& found) {
  const std::string max_faults = arguments.max_faults ? fmt::format("-{}", *arguments.max_faults) : "";
  const std::string budget = arguments.budget.empty() ? "" : text_of(arguments.budget);
  return execution::fuzz_report(options, found,
                                {.command = command_of(arguments, options),
                                 .runs_stated = arguments.runs.has_value(),
                                 .scenario_digest = harness::digest(options.scenario.text + algorithm_words(arguments) +
                                                                    std::string(options.scenario.algorithm->text)),
                                 .budget_digest = harness::digest(budget) + max_faults,
                                 .build = build_of_lockproof()});
}

std::string file_of(const Arguments& arguments, const FuzzOptions& options, const std::string& property,
                    const std::string& kind) {
  return fmt::format("{}/{}-{}{}{}.toml", arguments.out, options.scenario.name, property, kind.empty() ? "" : "-",
                     kind);
}

/// Each finding as a file; the worst is what reproduces.
void save(const Arguments& arguments, const FuzzOptions& options, const sim::FuzzResult& found, FuzzReport& report) {
  const bool plain = !options.bounds && options.order.strategy == sim::Strategy::random;
  for (const auto& [way, tally] : found.violated) {
    if (way.first == "exercised" && !plain) continue;
    save_file(file_of(arguments, options, way.first, way.second),
              execution::scenario_text(options, way, tally, arguments.out));
  }
  if (const harness::FuzzViolation* way = execution::worst(report)) {
    report.run.reproduce =
        "lockproof run " + harness::shell_word(file_of(arguments, options, way->property, way->kind));
  }
}

std::optional<harness::Expectations> expected_of(const Arguments& arguments, const FuzzOptions& options) {
  if (!arguments.budget.empty()) return harness::Expectations{};  // the scenario does not say what comes of it
  return check::expected_of(options.scenario, options.bounds ? &harness::Expect::explore : &harness::Expect::run);
}

void spend(FuzzOptions& options, double seconds) {
  if (options.time) *options.time = std::max(Duration{}, *options.time - Duration(std::llround(seconds * 1e6)));
}

/// A program takes its time to begin.
void read_in_time(const Arguments& arguments, FuzzOptions& options) {
  const LimitGuard guard(time_from(arguments.time), {});
  read_options(arguments, options);
  spend(options, guard.seconds());
}

/// The look at the space may take half of the time.
Choice choose_in_time(FuzzOptions& options, Arguments& rest) {
  const LimitGuard guard(options.time ? std::optional(*options.time / 2) : std::nullopt, std::nullopt);
  Choice choice = choose({options.scenario, options.bounds.value_or(harness::Bounds{}), options.alone,
                          options.order.workers, options.order.strategy},
                         guard.stop());
  if (!options.time) return choice;
  spend(options, guard.seconds());
  rest.time = harness::to_text(*options.time);
  return choice;
}

}  // namespace

int search_command(const Arguments& arguments) {
  FuzzOptions options;
  read_in_time(arguments, options);
  Choice choice;
  Arguments rest = arguments;  // of the time
  if (options.automatic) choice = choose_in_time(options, rest);
  if (choice.explores) {
    if (arguments.format == "json") print_note(choice.why + "\n");
    if (arguments.format != "json") print_text(style_of_stdout(), fmt::format("{}\n", choice.why));
    std::fflush(stdout);
    return explore_command(rest);
  }
  Watch watch(options);
  options.order.stop = watch.guard().stop();
  options.order.go_on = [&](std::uint64_t done) { return watch.go_on(done); };
  if (!arguments.find.empty()) options.order.enough = is_violation;
  const sim::FuzzResult found = sim::fuzz(options.fuzzed, options.order);
  watch.end(found.runs, options.order.workers);
  FuzzReport report = report_of(arguments, options, found);
  if (!arguments.out.empty()) save(arguments, options, found, report);
  report.chosen_by_auto = choice.why;
  execution::judge(report, expected_of(arguments, options));
  report.happened = execution::happened_in(options, found, report, watch.guard().stop_telling());
  return show(report, arguments);
}

}  // namespace lockproof::cli
