// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/input_error.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::cli {
namespace {

using check::Agreement;
using check::ComparedFinding;
using check::Verdict;
using harness::RunReport;

constexpr const char* nothing_broken = "no violation";
constexpr std::size_t before_file = 22;  // columns

std::string broken(const RunReport& report) {
  std::vector<std::string> parts;
  for (const ComparedFinding& c : report.properties) {
    if (c.finding.verdict == Verdict::violated) {
      parts.push_back(c.finding.kind.empty() ? c.finding.property
                                             : fmt::format("{}: {}", c.finding.property, c.finding.kind));
    } else if (c.finding.verdict == Verdict::unknown) {
      parts.push_back(fmt::format("{}: unknown", c.finding.property));
    }
  }
  return parts.empty() ? nothing_broken : fmt::format("{}", fmt::join(parts, ", "));
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
  const Agreement met = overall(report.properties);
  const std::string word = met == Agreement::yes        ? style.good("ok     ")
                           : met == Agreement::no       ? style.bad("FAILED ")
                           : met == Agreement::unstated ? style.faint("-      ")
                                                        : style.unsure("unknown");
  const std::string again = report.repeated.empty() ? ""
                                                    : fmt::format("  (run {}, {} too late)", report.repeated.size() + 1,
                                                                  report.repeated.size());
  const std::string why = met == Agreement::unstated ? ", and nothing is expected" : "";
  fmt::print("{}", style.fit(check_line(word, report, broken(report) + why + again, style)));
  std::fflush(stdout);
}

void print_details(const RunReport& report, const harness::Style& style) {
  print_text(style, fmt::format("\n{} ({})\n{}", style.strong(harness::printable(report.file)), report.world,
                                verdict_text(report, style)));
  fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
}

std::optional<std::vector<RunReport>> baseline_of(const Arguments& arguments) {
  if (arguments.baseline.empty()) return std::nullopt;
  const std::string text = harness::text_of(arguments.baseline);
  try {
    std::vector<RunReport> before = harness::reports_from_json(text);
    if (before.empty()) throw harness::InputError("runs", 0, "there are none to compare with");
    print_hint_on_old_words(arguments.baseline, text);
    return before;
  } catch (const harness::InputError& e) {
    throw harness::InputError(arguments.baseline, 0, e.what());
  } catch (const std::exception&) {
    throw harness::InputError(arguments.baseline, 0,
                              "these are no results that lockproof check wrote (--out FOLDER, or --format json)");
  }
}

void write_results(const std::string& folder, const harness::PullRequest& found) {
  save_file(folder + "/results.json", verdicts_json(found.runs, found.unreadable));
  save_file(folder + "/summary.md", summary_markdown(found));
}

void print_found(const Arguments& arguments, const harness::PullRequest& found, const std::string& tally) {
  const harness::Style style = style_of_stdout();
  if (arguments.format == "json") return fmt::print("{}", check_json(found));
  if (arguments.format == "markdown") return fmt::print("{}", summary_markdown(found));
  if (arguments.format == "github") return fmt::print("{}{}", github_annotations(found), tally.substr(1));
  for (const RunReport& report : found.runs) {
    const Agreement met = overall(report.properties);
    if (met == Agreement::no || met == Agreement::unknown) print_details(report, style);
  }
  print_text(style, tally);
  if (found.baseline) print_text(style, baseline_text(*found.baseline, style));
  if (!arguments.out.empty() && unwritten().empty())
    print_text(style, fmt::format("written: {0}/results.json, {0}/summary.md\n", arguments.out));
}

int exit_code_of(const harness::PullRequest& found, Agreement worst) {
  if (!found.unreadable.empty()) return check::exit_code::usage;
  if (worst != Agreement::no && found.baseline && found.baseline->differs()) return check::exit_code::changed;
  return check::exit_code_of(worst);
}

std::string tally_text(const Tally& tally, const std::vector<harness::Scenario>& scenarios,
                       const harness::PullRequest& found, bool real) {
  std::string text = fmt::format("\n{} of {} runs of {} scenarios as expected", tally.count_of(Agreement::yes),
                                 found.runs.size(), scenarios.size());
  if (const std::size_t unstated = tally.count_of(Agreement::unstated); unstated > 0)
    text += fmt::format(", {} not compared: [expect] says nothing of them", unstated);
  const auto has_no_servers = [](const auto& scenario) { return !harness::simulated_only(scenario).empty(); };
  const auto simulated_only = std::ranges::count_if(scenarios, has_no_servers);
  if (real && simulated_only > 0)
    text += fmt::format("; {} that no real servers can be started for, and simulated only", simulated_only);
  if (!found.unreadable.empty()) text += fmt::format("; {} unreadable", found.unreadable.size());
  return text + "\n";
}

}  // namespace

CheckResults::CheckResults(const Arguments& arguments)
    : arguments_(arguments), as_text_(arguments.format == "text"), before_(baseline_of(arguments)) {}

void CheckResults::add(RunReport report) {
  if (as_text_) print_line(report, style_of_stdout());
  tally_.add(overall(report.properties));
  found_.runs.push_back(std::move(report));
}

void CheckResults::add_unreadable(harness::UnreadableFile one) {
  const harness::Style style = style_of_stdout();
  if (as_text_) {
    const std::string line = fmt::format("  {}  {:<9}  {}", style.bad("ERROR  "), "", harness::printable(one.why));
    fmt::print("{}\n", style.wrap(line, before_file));
  }
  found_.unreadable.push_back(std::move(one));
}

int CheckResults::finish(const std::vector<harness::Scenario>& scenarios) {
  for (const harness::Scenario& one : scenarios) found_.written.emplace(one.called, written_in(one));
  if (before_) found_.baseline = harness::compared_with(arguments_.baseline, *before_, found_.runs);
  if (!arguments_.junit.empty()) save_file(arguments_.junit, harness::junit(found_.runs, found_.unreadable));
  if (!arguments_.out.empty()) write_results(arguments_.out, found_);
  print_found(arguments_, found_, tally_text(tally_, scenarios, found_, arguments_.real));
  return exit_code_of(found_, tally_.worst());
}

}  // namespace lockproof::cli
