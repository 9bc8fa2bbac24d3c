// SPDX-License-Identifier: Apache-2.0
// explore: every schedule of one scenario.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/commands/lease_command.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/output/drawing.hpp"
#include "cli/output/output.hpp"
#include "cli/output/run_output.hpp"
#include "cli/output/scenario_output.hpp"
#include "execution/execution.hpp"
#include "execution/explore/explore.hpp"
#include "execution/explore/walk_json.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/pull_request/pull_request.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/trace.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"

namespace lockproof::cli {
namespace {

using execution::ExploreOrder;
using execution::ExploreReport;

bool stops_at_first(const Arguments& arguments) { return arguments.find == "first"; }
bool finds_causes(const Arguments& arguments) { return arguments.find == "causes"; }
bool draws_graph(const Arguments& arguments) { return arguments.format == "dot"; }

/// What a checkpoint is of.
sim::CheckpointOf searched(const Arguments& arguments, const search::Question& question, const std::string& engine) {
  const harness::Scenario& scenario = question.scenario;
  return {{"build of lockproof", build_of_lockproof()},
          {"scenario, or of this one before it was edited", scenario.text},
          {"lock", fmt::format("{} {}", scenario.algorithm->name, scenario.algorithm->text)},
          {"budget (--budget)", arguments.budget.empty() ? "" : text_of(arguments.budget)},
          {"number of faults (--max-faults)", std::to_string(question.bounds.max_faults)},
          {"engine (--engine)", engine},
          {"way to search (--no-reduction, --find)",
           fmt::format("{} {} {}", question.reduces, stops_at_first(arguments), finds_causes(arguments))}};
}

search::Question question_of(const Arguments& arguments, const harness::Scenario& scenario) {
  search::Question question;
  question.scenario = scenario;
  question.alone = !arguments.budget.empty();
  question.bounds =
      question.alone ? harness::load_budget(arguments.budget, scenario) : scenario.explore.value_or(harness::Bounds{});
  if (arguments.max_faults) question.bounds.max_faults = *arguments.max_faults;
  question.goal = finds_causes(arguments) ? search::Goal::causes : search::Goal::kinds;
  question.tells_unpreventable = true;
  question.estimates = true;
  question.in_parts = arguments.checkpoint.empty();
  question.drifts = arguments.engine == "auto" && !draws_graph(arguments) && !finds_causes(arguments) &&
                    arguments.checkpoint.empty() && arguments.resume.empty();
  question.reduces = !arguments.no_reduction;
  if (stops_at_first(arguments)) question.enough = [](const std::set<sim::ViolationKind>&) { return true; };
  question.engine = arguments.engine == "zones"                                   ? search::Engine::zones
                    : arguments.engine == "stateful"                              ? search::Engine::stateful
                    : arguments.engine == "reexecution" || draws_graph(arguments) ? search::Engine::reexecution
                                                                                  : search::Engine::either;
  return question;
}

void complain_of_engine(const Arguments& arguments, const search::Question& question) {
  if (question.engine == search::Engine::zones) {
    std::string why = search::why_no_zones(question);
    if (draws_graph(arguments)) why = "for a graph of states";
    if (!arguments.checkpoint.empty() || !arguments.resume.empty()) why = "with a checkpoint";
    if (why.empty()) return;
    throw harness::InputError(arguments.paths.front(), 0,
                              fmt::format("the zone engine cannot search {}; without --engine zones chosen points of "
                                          "time are searched",
                                          why));
  }
  const std::string refused = search::why_reexecution(question);
  if (arguments.engine == "stateful" && draws_graph(arguments)) {
    throw harness::InputError("--format", 0, "it is the re-execution engine that draws; leave --engine out");
  }
  if (!arguments.resume.empty() && draws_graph(arguments)) {
    throw harness::InputError("--format", 0,
                              "a search that goes on from a checkpoint does not know all events; leave --resume out");
  }
  if (arguments.engine == "stateful" && !refused.empty()) {
    throw harness::InputError(arguments.paths.front(), 0,
                              fmt::format("the stateful engine cannot search {}; --engine reexecution can", refused));
  }
}

/// The commands that ask the same again.
void describe(const Arguments& arguments, ExploreOrder& order) {
  const search::Question& question = order.question;
  const std::string subject = harness::shell_word(arguments.paths.front()) + algorithm_words(arguments) +
                              (question.alone ? " --budget " + harness::shell_word(arguments.budget) : "");
  order.command = fmt::format(
      "lockproof explore {}{}{}{}", subject, arguments.engine == "auto" ? "" : " --engine " + arguments.engine,
      arguments.no_reduction ? " --no-reduction" : "", finds_causes(arguments) ? " --find causes" : "");
  order.max_faults = arguments.max_faults ? fmt::format(" --max-faults {}", *arguments.max_faults) : "";
  order.reproduce = order.command + order.max_faults + (stops_at_first(arguments) ? " --find first" : "");
  if (!question.bounds.budget.empty() && !question.scenario.program) {
    order.draws = fmt::format("lockproof run {}{} --runs 2000 --strategy random", subject, order.max_faults);
  }
  order.given = {arguments.time, arguments.memory};
  order.checkpoint = !arguments.checkpoint.empty() ? arguments.checkpoint
                     : !arguments.resume.empty()   ? arguments.resume
                     : !arguments.out.empty()      ? arguments.out + "/checkpoint"
                                                   : "";
}

ExploreReport explore(const Arguments& arguments) {
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));  // a program takes its time to begin
  ExploreOrder order;
  order.question = question_of(arguments, scenario_of(arguments));
  search::Question& question = order.question;
  complain_of_engine(arguments, question);
  order.draws_graph = draws_graph(arguments);
  describe(arguments, order);
  order.limits = watch.limits(arguments.workers);
  order.why_stopped = [&] { return watch.stop(); };
  order.seconds = [&] { return watch.seconds(); };
  order.held = [&] { return watch.guard().held(); };
  const bool keeps = !order.checkpoint.empty();
  sim::CheckpointOf of = keeps ? searched(arguments, question, execution::first_engine(question)) : sim::CheckpointOf();
  std::unique_ptr<CheckpointFile> from;
  if (!arguments.resume.empty()) {
    from = std::make_unique<CheckpointFile>(arguments.resume, of);
    question.resume = &from->in();
  }
  if (keeps) {
    question.save = [&](const auto& write) { write_checkpoint(order.checkpoint, of, write); };
    question.changes_engine = [&](const std::string&) { of = searched(arguments, question, "reexecution"); };
  }
  try {
    return execution::explore(order);
  } catch (const sim::CheckpointError& e) {
    throw harness::InputError(arguments.resume, 0, e.what());
  }
}

void save(const Arguments& arguments, ExploreReport& report) {
  for (const auto& [way, shown] : report.counterexamples) {
    const std::string name = way.second.empty() ? way.first : way.first + "-" + way.second;
    const std::string path = fmt::format("{}/{}-{}.toml", arguments.out, report.scenario.name, name);
    if (save_scenario(path, shown.scenario)) report.saved.emplace(way.first, path);  // the worst kind comes first
  }
  std::vector<execution::Cause> none;
  for (execution::Cause& cause : report.causes ? *report.causes : none) {
    const auto& [property, kind] = cause.violation;
    cause.file = fmt::format("{}/{}-{}{}-by-{}.toml", arguments.out, report.scenario.name, property,
                             kind.empty() ? "" : "-" + kind, harness::in_a_name(words_of(cause)));
    if (!save_scenario(cause.file, cause.witness)) cause.file.clear();
  }
  save_file(arguments.out + "/verdict.json", explore_json(report));
}

void draw_counterexample(const ExploreReport& report) {
  const auto* const shown = search::first_counterexample(report);
  if (!shown) {
    complain("no schedule with a violation was found, so there is none to draw");
    return;
  }
  print_diagram(shown->second, report.reproduce);
}

void print(const Arguments& arguments, const ExploreReport& report) {
  const harness::Style style = style_of_stdout();
  print_text(style, fmt::format("{}\n{}, every schedule\n\n",
                                style.strong(harness::heading(report.scenario.title, report.scenario.name)),
                                report.scenario.algorithm->name));
  if (const auto* shown = search::first_counterexample(report); shown && !arguments.quiet) {
    const auto& [property, kind] = shown->first;
    print_text(style, fmt::format("how {} is violated{}, with the fewest faults, and then events, that were found:\n\n",
                                  property, kind.empty() ? "" : " (" + kind + ")"));
    fmt::print("{}\n", trace(shown->second.history, style));
  }
  print_text(style, fmt::format("{}\n{}{}{}", verdict_text(as_run(report, true), style), evidence_text(report, style),
                                learned_text(report, style), search::unpreventable_text(report)));
  if (const auto programs = harness::executed_of(report.scenario)) print_text(style, executed_text(*programs));
  if (report.causes) print_text(style, causes_text(*report.causes, style));
  for (const auto& [property, path] : report.saved) {
    fmt::print("{}\n", style.command(property + ": ", "lockproof run " + harness::shell_word(path)));
  }
  const bool on_servers = std::ranges::any_of(
      report.counterexamples, [](const auto& shown) { return shown.second.scenario.expect.real.has_value(); });
  if (on_servers && !report.saved.empty()) print_text(style, "on a real server: lockproof real, with the same file\n");
  if (arguments.out.empty() && !report.counterexamples.empty()) {
    print_text(style, "--out DIR saves the counterexamples as scenarios\n");
  }
  if (!report.happened.empty()) print_text(style, fmt::format("what happened: {}\n", report.happened));
  fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
}

/// The page of the counterexample that is told, beside its scenario.
int write_page(const Arguments& arguments, const ExploreReport& report) {
  const bool for_people = arguments.format == "text";
  const auto* const first = search::first_counterexample(report);
  const auto saved = first ? report.saved.find(first->first.first) : report.saved.end();
  if (saved == report.saved.end()) {
    if (unwritten().empty()) fmt::print(for_people ? stdout : stderr, "no page: there is no counterexample\n");
    return check::exit_code::met;
  }
  harness::Scenario scenario = harness::load_scenario(saved->second);
  if (scenario.program) put_in_virtual_time(scenario, arguments);
  const std::string folder = std::filesystem::path(saved->second).replace_extension().string();
  save_run(folder, execution::execute(scenario, execution::WorldKind::simulated, scenario.seed));
  return write_pages({{folder}, arguments.out}, !for_people);
}

/// The page of all states. It has a search of its own, since others leave out what commutes.
int write_walk(const Arguments& arguments) {
  const bool for_people = arguments.format == "text";
  const harness::Scenario scenario = scenario_of(arguments);
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));
  ExploreOrder order;
  order.question = question_of(arguments, scenario);
  describe(arguments, order);
  const execution::Walk walk =
      execution::walk_of(order.question, watch.limits(arguments.workers), order.reproduce + " --walk");
  if (!walk.why_none.empty()) {
    fmt::print(for_people ? stdout : stderr, "no page to walk through: {}\n", walk.why_none);
    return check::exit_code::met;
  }
  const std::string file = fmt::format("{}/{}.states.json", arguments.out, scenario.name);
  save_file(file, walk.json);
  return write_pages({{file}, arguments.out}, !for_people);
}

void print_graph(const Arguments& arguments, const std::string& graph) {
  if (arguments.redirect.empty()) {
    fmt::print("{}", graph);
  } else {
    save_file(arguments.redirect, graph);
  }
}

}  // namespace

harness::RunReport explored(const Arguments& arguments) { return as_run(explore(arguments)); }

int explore_command(const Arguments& arguments) {
  if (asks_for_lease(arguments)) {
    return answer_lease(arguments, [&](const harness::Scenario& one) { return question_of(arguments, one); });
  }
  ExploreReport report = explore(arguments);
  if (!arguments.out.empty()) save(arguments, report);
  if (!arguments.junit.empty()) save_file(arguments.junit, harness::junit({as_run(report)}));
  const harness::PullRequest shown{
      {as_run(report)},
      {},
      {},
      {{report.scenario.called, written_in(report.scenario)}},
      evidence_text(report, harness::Style(false)) + learned_text(report, harness::Style(false))};
  if (arguments.format == "json") {
    fmt::print("{}", explore_json(report));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", summary_markdown(shown));
  } else if (arguments.format == "github") {
    fmt::print("{}", github_annotations(shown));
  } else if (draws_graph(arguments)) {
    print_graph(arguments, report.graph);
  } else if (arguments.format == "mermaid") {
    draw_counterexample(report);
  } else {
    print(arguments, report);
  }
  int page = arguments.html ? write_page(arguments, report) : check::exit_code::met;
  if (arguments.walk && page == check::exit_code::met) page = write_walk(arguments);
  return page != check::exit_code::met ? page : check::exit_code_of(overall(report.properties));
}

}  // namespace lockproof::cli
