// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "cli/reports/explore_report.hpp"
#include "execution/execution.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
#include "harness/program/virtual_program.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/pull_request/pull_request.hpp"
#include "harness/report/text/digest.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/os/shared_files.hpp"
#include "real/os/side_by_side.hpp"

namespace lockproof::cli {
namespace {

using check::Compared;
using check::Met;
using check::Verdict;
using execution::execute;
using execution::not_run;
using execution::WorldKind;
using harness::RunReport;
using harness::to_jsonl;

constexpr unsigned real_jobs_per_core = 3;
constexpr const char* nothing_broken = "no violation";
constexpr std::size_t before_file = 22;  // columns

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
  return parts.empty() ? nothing_broken : fmt::format("{}", fmt::join(parts, ", "));
}

struct Made {
  RunReport report;
  std::string history = {};  // as JSON lines, where it is to be kept
};

/// A history that cannot be made again is kept: a real one. The folder's name is the scenario's, and its file's digest.
std::string folder_for(const harness::Scenario& scenario) {
  constexpr std::size_t enough = 8;
  return fmt::format("runs/{}-{}", scenario.name, harness::digest(scenario.file).substr(0, enough));
}

/// Where the machine cannot run one of many scenarios, the others are run all the same.
Made made_of(harness::Scenario scenario, WorldKind world, const Arguments& arguments) {
  const std::uint64_t seed = arguments.seed.value_or(scenario.seed);
  try {
    if (scenario.program && world == WorldKind::simulated) put_in_virtual_time(scenario, arguments);
    execution::Execution done = execute(scenario, world, seed, {.programs = arguments.programs});
    if (scenario.expect.empty()) execution::leave_unstated(done.report);
    if (world != WorldKind::real || arguments.out.empty() || done.history.events.empty()) return {done.report};
    done.report.history = folder_for(scenario);
    return {done.report, to_jsonl(done.history)};
  } catch (const real::BadEnvironment& e) {
    return {not_run(scenario, world, seed, e.what()).report};
  } catch (const harness::NotAFunction& e) {
    return {not_run(scenario, world, seed, e.what()).report};
  }
}

/// Every schedule within the bounds of its [explore]. One thread each: there are as many searches at once as cores.
Made explored_of(const harness::Scenario& scenario, const Arguments& arguments) {
  Arguments one;
  one.verb = "explore";
  one.paths = {scenario.called};
  one.memory = arguments.memory;
  one.time = arguments.time;
  one.workers = 1;
  try {
    return {explored(one)};
  } catch (const harness::NotAFunction& e) {
    Made made{not_run(scenario, WorldKind::simulated, scenario.seed, e.what()).report};
    made.report.world = "explored";
    return made;
  }
}

/// Here once, and not in each of the processes that search.
void refuse_wrong_limits(const Arguments& arguments) {
  static_cast<void>(bytes_from(arguments.memory));
  static_cast<void>(time_from(arguments.time));
}

/// Whether it says what comes of a search, or has bounds for one and says nothing at all.
bool is_searched(const harness::Scenario& scenario) {
  return scenario.expect.explore || (scenario.expect.empty() && scenario.explore && !scenario.program);
}

/// Whether there are servers to run it on.
bool has_servers(const harness::Scenario& scenario) { return harness::simulated_only(scenario).empty(); }

/// A program runs in virtual time where the scenario says what comes of that …
bool needs_no_servers(const harness::Scenario& scenario) { return !scenario.program || scenario.expect.run; }

/// … and on servers where it says that of them, or nothing of either.
bool is_on_servers_anyway(const harness::Scenario& scenario) {
  return scenario.program && has_servers(scenario) && (scenario.expect.real || !scenario.expect.run);
}

/// How many at once. Real runs sleep most of the time, but one that finds no processor when it wakes up is late.
unsigned jobs_of(const Arguments& arguments, WorldKind world) {
  if (arguments.workers) return arguments.workers;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return world == WorldKind::real ? cores * real_jobs_per_core : cores;
}

/// What becomes of a scenario: a report, or why it is wrong after all, since a lock of a person's own may turn out to
/// be wrong when it runs.
struct Results {
  std::function<void(RunReport, const std::string& history)> report;
  std::function<void(harness::Unreadable)> wrong;
};

/// All scenarios in one way, reported in their order.
void run_all(const std::vector<harness::Scenario>& scenarios, unsigned jobs,
             const std::function<Made(const harness::Scenario&)>& run, const Results& results) {
  ProgressLine line("running");
  std::size_t done = 0;
  constexpr std::string_view wrong = "wrong\n";
  constexpr char behind_verdicts = '\f';  // which JSON does not contain
  real::side_by_side(
      scenarios.size(), jobs,
      [&](std::size_t i) {
        try {
          const Made made = run(scenarios[i]);
          return fmt::format("{:.6f}\n{}{}{}", made.report.seconds, verdict_json(made.report), behind_verdicts,
                             made.history);
        } catch (const harness::InputError& e) {
          return fmt::format("{}{}", wrong, e.what());
        }
      },
      [&](std::size_t i, const std::string& text) {
        ++done;
        line.clear();
        if (text.starts_with(wrong)) return results.wrong({scenarios[i].called, text.substr(wrong.size())});
        const std::size_t begin = text.find('\n'), end = text.find(behind_verdicts);
        RunReport made = harness::report_from_json(text.substr(begin, end - begin));
        made.seconds = std::stod(text);
        made.title = scenarios[i].title;
        results.report(std::move(made), text.substr(end + 1));
      },
      [&] {
        line.show(done, scenarios.size(), "runs");
        return true;
      });
}

/// One line, or two where the file's name leaves no room for what was violated.
std::string check_line(const std::string& word, const RunReport& report, const std::string& what,
                       const harness::Style& style) {
  constexpr std::size_t usual_name = 52;
  const std::string file = harness::printable(report.file), begin = fmt::format("  {}  {:<9}  ", word, report.world);
  const std::size_t name = std::min(usual_name, style.columns() - before_file);
  const std::string line = fmt::format("{}{:<{}}  {}", begin, file, name, what);
  if (harness::columns_of(line) <= style.columns()) return line + "\n";
  if (what == nothing_broken) return begin + file + "\n";
  return fmt::format("{}{}\n{}\n", begin, file, style.wrap(std::string(before_file, ' ') + what, before_file));
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
  const std::string why = met == Met::unstated ? ", and nothing is expected" : "";
  fmt::print("{}", style.fit(check_line(word, report, broken(report) + why + again, style)));
  std::fflush(stdout);
}

void print_details(const RunReport& report, const harness::Style& style) {
  print_text(style, fmt::format("\n{} ({})\n{}", style.strong(harness::printable(report.file)), report.world,
                                verdict_text(report, style)));
  fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
}

/// In each world that was asked for, and every schedule, if that was.
void run_everywhere(const std::vector<harness::Scenario>& all, const Arguments& arguments, const Results& results) {
  const auto those = [&](bool (*fit)(const harness::Scenario&)) {
    std::vector<harness::Scenario> some;
    std::ranges::copy_if(all, std::back_inserter(some), fit);
    return some;
  };
  const auto run_in = [&](WorldKind world, const std::vector<harness::Scenario>& some) {
    const auto run = [&](const harness::Scenario& scenario) { return made_of(scenario, world, arguments); };
    run_all(some, jobs_of(arguments, world), run, results);
  };
  run_in(WorldKind::simulated, those(needs_no_servers));
  const auto on_servers = those(arguments.real ? has_servers : is_on_servers_anyway);
  std::optional<real::SharedFiles> files;
  if (!on_servers.empty()) files.emplace();
  run_in(WorldKind::real, on_servers);
  if (!arguments.explore) return;
  const std::vector<harness::Scenario> searched = those(is_searched);
  const auto search = [&](const harness::Scenario& scenario) { return explored_of(scenario, arguments); };
  run_all(searched, jobs_of(arguments, WorldKind::simulated), search, results);
}

/// How many of them came out how.
class Tally {
 public:
  void add(Met one) {
    ++counts_[one];
    if (one == Met::no || (one == Met::unknown && worst_ == Met::yes)) worst_ = one;
  }
  [[nodiscard]] Met worst() const { return worst_; }
  [[nodiscard]] std::string text(const LoadedScenarios& loaded, std::size_t runs, bool real) const {
    const auto of = [&](Met met) { return counts_.contains(met) ? counts_.at(met) : 0; };
    std::string text =
        fmt::format("\n{} of {} runs of {} scenarios as expected", of(Met::yes), runs, loaded.scenarios.size());
    if (of(Met::unstated) > 0) {
      text += fmt::format(", {} not compared: [expect] says nothing of them", of(Met::unstated));
    }
    const auto simulated_only = std::ranges::count_if(loaded.scenarios, std::not_fn(has_servers));
    if (real && simulated_only > 0) {
      text += fmt::format("; {} that no real servers can be started for, and simulated only", simulated_only);
    }
    if (!loaded.unreadable.empty()) text += fmt::format("; {} unreadable", loaded.unreadable.size());
    return text + "\n";
  }

 private:
  std::map<Met, std::size_t> counts_;
  Met worst_ = Met::yes;
};

/// Before anything runs, so that a wrong one is refused at once, and the same file may be written afterwards.
std::optional<std::vector<RunReport>> baseline_of(const Arguments& arguments) {
  if (arguments.baseline.empty()) return std::nullopt;
  const std::string text = harness::text_of(arguments.baseline);
  try {
    std::vector<RunReport> before = harness::reports_from_json(text);
    print_hint_on_old_words(arguments.baseline, text);
    return before;
  } catch (const std::exception&) {
    throw harness::InputError(arguments.baseline, 0,
                              "these are no results that lockproof check wrote (--out FOLDER, or --format json)");
  }
}

void write_results(const std::string& folder, const harness::PullRequest& found) {
  write_file(folder + "/results.json", verdicts_json(found.runs, found.unreadable));
  write_file(folder + "/summary.md", summary_markdown(found));
}

void print_found(const Arguments& arguments, const harness::PullRequest& found, const std::string& tally) {
  const harness::Style style = style_of_stdout();
  if (arguments.format == "json") return fmt::print("{}", check_json(found));
  if (arguments.format == "markdown") return fmt::print("{}", summary_markdown(found));
  if (arguments.format == "github") return fmt::print("{}{}", github_annotations(found), tally.substr(1));
  for (const RunReport& report : found.runs) {
    const Met met = overall(report.properties);
    if (met == Met::no || met == Met::unknown) print_details(report, style);
  }
  print_text(style, tally);
  if (found.baseline) print_text(style, baseline_text(*found.baseline, style));
  if (!arguments.out.empty())
    print_text(style, fmt::format("written: {0}/results.json, {0}/summary.md\n", arguments.out));
}

int exit_code_of(const harness::PullRequest& found, Met worst) {
  if (!found.unreadable.empty()) return check::exit_code::usage;
  if (worst != Met::no && found.baseline && found.baseline->differs()) return check::exit_code::changed;
  return check::exit_code_of(worst);
}

}  // namespace

int check_command(const Arguments& arguments) {
  const harness::Style style = style_of_stdout();
  const bool text = arguments.format == "text";
  refuse_wrong_limits(arguments);
  const auto baseline = baseline_of(arguments);
  LoadedScenarios loaded = load_scenarios(arguments.paths);  // all are read before the first runs
  if (!arguments.allow_clients) leave_out_programs(loaded, "which check starts with --allow-clients only");
  const auto print_error = [&](const harness::Unreadable& one) {
    if (text)
      fmt::print("{}\n",
                 style.wrap(fmt::format("  {}  {:<9}  {}", style.bad("ERROR  "), "", harness::printable(one.why)),
                            before_file));
  };
  std::ranges::for_each(loaded.unreadable, print_error);
  harness::PullRequest found;
  Tally tally;
  Results results;
  results.report = [&](RunReport report, const std::string& history) {
    if (text) print_line(report, style);
    if (!history.empty()) {
      const std::string folder = arguments.out + "/" + report.history;
      write_file(folder + "/history.jsonl", history);
      write_file(folder + "/verdict.json", verdict_json(report));
    }
    tally.add(overall(report.properties));
    found.runs.push_back(std::move(report));
  };
  results.wrong = [&](harness::Unreadable one) {
    print_error(one);
    loaded.unreadable.push_back(std::move(one));
  };
  run_everywhere(loaded.scenarios, arguments, results);
  for (const harness::Scenario& one : loaded.scenarios) found.written.emplace(one.called, written_in(one));
  found.unreadable = loaded.unreadable;
  if (baseline) found.baseline = harness::compared_with(arguments.baseline, *baseline, found.runs);
  if (!arguments.junit.empty()) write_file(arguments.junit, harness::junit(found.runs, found.unreadable));
  if (!arguments.out.empty()) write_results(arguments.out, found);
  print_found(arguments, found, tally.text(loaded, found.runs.size(), arguments.real));
  return exit_code_of(found, tally.worst());
}

}  // namespace lockproof::cli
