// SPDX-License-Identifier: Apache-2.0
// run --runs N: many schedules of one scenario, drawn by a strategy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/options/fuzz_options.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "cli/reports/fuzz_report.hpp"
#include "execution/auto_strategy.hpp"
#include "harness/report/answers/explained.hpp"
#include "harness/report/text/digest.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"
#include "sim/run.hpp"

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

bool is_violation(const sim::Fuzzed& found) {
  return std::ranges::any_of(found.violated, [](const auto& one) { return one.first.first != "exercised"; });
}

harness::FuzzViolation as_way(const std::string& property, const std::string& kind, const sim::Tally& tally) {
  return {property, kind, tally.runs, tally.first, tally.finding.what, tally.finding.events};
}

std::string within(const FuzzOptions& options) {
  if (!options.bounds) return "";
  std::vector<std::string> kinds;
  for (const auto& entry : options.bounds->budget) kinds.emplace_back(harness::name(entry.kind));
  const std::string bounds = fmt::format("the bounds of {}", options.budget);
  if (kinds.empty()) return bounds + ", no faults";
  return fmt::format("{}, at most {} fault{} of: {}", bounds, options.bounds->max_faults,
                     options.bounds->max_faults == 1 ? "" : "s", fmt::join(kinds, ", "));
}

std::set<std::string> why_no_bound(unsigned broken) {
  std::set<std::string> reasons;
  if (broken & sim::pct::faults) reasons.emplace("faults strike, which are no matter of order");
  if (broken & sim::pct::timed) reasons.emplace("time passes in the runs, so priorities do not decide alone");
  if (broken & sim::pct::drew) {
    reasons.emplace("durations, or the order of two events of one thread, were drawn");
  }
  if (broken & sim::pct::longer) reasons.emplace("a run had more events than the first ones");
  return reasons;
}

FuzzReport report_of(const Arguments& arguments, const FuzzOptions& options, const sim::Fuzzed& found) {
  const harness::Scenario& scenario = options.scenario;
  FuzzReport r;
  r.run.describe(scenario);
  r.run.world = "simulated";
  r.run.seed = options.order.seed;
  r.run.events = found.events;
  r.run.runs = found.runs;
  r.run.ignores_expect = !arguments.budget.empty();
  r.strategy = name(options.order.strategy);
  r.depth = options.order.depth;
  r.budget = options.budget;
  r.within = within(options);
  if (options.bounds && options.bounds->max_faults > 0) {
    for (const auto& entry : options.bounds->budget) r.never_struck.emplace(harness::name(entry.kind));
    for (const std::string& kind : found.struck) r.never_struck.erase(kind);
  }
  r.asked = options.order.runs;
  r.part = options.order.shard.part;
  r.of = options.order.shard.of;
  for (const auto& [way, tally] : found.violated) r.violated.push_back(as_way(way.first, way.second, tally));
  for (const auto& [property, tally] : found.unknown) r.unknown.push_back(as_way(property, "", tally));
  r.of_program = options.fuzzed.program.has_value();
  for (const check::Property& property : check::properties_of(options.fuzzed)) {
    if (!check::states_bound(property, options.fuzzed)) r.not_judged.emplace_back(property.name);
    if (!check::is_claimed(property, options.fuzzed)) r.not_claimed.emplace_back(property.name);
  }
  r.fresh = found.fresh;
  r.met = found.met;
  r.bounded = options.order.strategy == sim::Strategy::pct && found.broken_premises == 0;
  r.unbounded = why_no_bound(found.broken_premises);
  r.threads = found.threads;
  r.k = found.k;
  r.scenario_digest =
      harness::digest(scenario.text + algorithm_words(arguments) + std::string(scenario.algorithm->text));
  r.budget_digest = harness::digest(arguments.budget.empty() ? "" : text_of(arguments.budget)) +
                    (arguments.max_faults ? fmt::format("-{}", *arguments.max_faults) : "");
  r.build = build_of_lockproof();
  r.command = command_of(arguments, options);
  if (!arguments.runs) r.asked = found.runs;  // what the time was enough for
  r.run.reproduce = reproduce_text(r);
  return r;
}

/// The scenario of a finding. If the scenario has no bounds and its own lock, it is its own text followed by the
/// schedule; otherwise it contains everything that a run needs.
std::string scenario_text(const Arguments& arguments, const FuzzOptions& options, const sim::ViolationKind& way,
                          const sim::Tally& tally) {
  if (options.bounds || options.another_lock || options.scenario.algorithm.is_file() ||
      options.order.strategy == sim::Strategy::guided) {
    harness::Scenario found = as_scenario(options.fuzzed, options.order, way, tally);
    found.title = fmt::format("{}: {}{}", way.first, way.second.empty() ? "violated" : way.second,
                              found.title.empty() ? "" : ". " + found.title);
    return to_toml(found, arguments.out);
  }
  const harness::Scenario& scenario = options.scenario;
  std::string text = fmt::format("{}\n# The schedule of seed {}\n", scenario.text, options.order.seed + tally.first);
  for (const harness::Step& step : write_down(scenario, options.order, tally).steps) {
    text += fmt::format("\n[[step]]\nevent = \"{}\"\n", harness::to_text(step.event));
    if (step.takes) text += fmt::format("takes = \"{}\"\n", harness::to_text(*step.takes));
  }
  return text;
}

std::string file_of(const Arguments& arguments, const FuzzOptions& options, const std::string& property,
                    const std::string& kind) {
  return fmt::format("{}/{}-{}{}{}.toml", arguments.out, options.scenario.name, property, kind.empty() ? "" : "-",
                     kind);
}

/// Each finding as a file; the worst is what reproduces.
void save(const Arguments& arguments, const FuzzOptions& options, const sim::Fuzzed& found, FuzzReport& report) {
  const bool plain = !options.bounds && options.order.strategy == sim::Strategy::random;
  for (const auto& [way, tally] : found.violated) {
    if (way.first == "exercised" && !plain) continue;
    write_file(file_of(arguments, options, way.first, way.second), scenario_text(arguments, options, way, tally));
  }
  if (const harness::FuzzViolation* way = worst(report)) {
    report.run.reproduce =
        "lockproof run " + harness::shell_word(file_of(arguments, options, way->property, way->kind));
  }
}

/// The first sentence of the explanation of the worst finding, in the first run that shows it.
std::string happened_in(const FuzzOptions& options, const sim::Fuzzed& found, const FuzzReport& report,
                        const std::stop_token& stop) {
  const harness::FuzzViolation* const worst = cli::worst(report);
  const auto way = worst ? found.violated.find(sim::ViolationKind{worst->property, worst->kind}) : found.violated.end();
  if (way == found.violated.end() || worst->property == "exercised") return "";
  const harness::Scenario shown = as_scenario(options.fuzzed, options.order, way->first, way->second);
  try {
    const harness::History history = sim::run(shown, shown.seed, {.token_name = {}, .stop = stop});
    return harness::first_sentence(history, check::judge(history, shown));
  } catch (const sim::Stopped&) {
    return "";
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
  const sim::Fuzzed found = sim::fuzz(options.fuzzed, options.order);
  watch.end(found.runs, options.order.workers);
  FuzzReport report = report_of(arguments, options, found);
  if (!arguments.out.empty()) save(arguments, options, found, report);
  report.chosen_by_auto = choice.why;
  judge(report, expected_of(arguments, options));
  report.happened = happened_in(options, found, report, watch.guard().stop_telling());
  return show(report, arguments);
}

}  // namespace lockproof::cli
