// SPDX-License-Identifier: Apache-2.0
// explore: every schedule of one scenario.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/output/drawing.hpp"
#include "cli/output/output.hpp"
#include "cli/output/run_output.hpp"
#include "cli/output/scenario_output.hpp"
#include "cli/reports/explore_report.hpp"
#include "cli/reports/explore_watch.hpp"
#include "cli/reports/fault_labels.hpp"
#include "execution/execution.hpp"
#include "harness/report/answers/explained.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/pull_request/pull_request.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/trace.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/results/state_graph.hpp"
#include "search/verdicts.hpp"

namespace lockproof::cli {
namespace {

bool stops_at_first(const Arguments& arguments) { return arguments.find == "first"; }
bool finds_causes(const Arguments& arguments) { return arguments.find == "causes"; }
bool draws_graph(const Arguments& arguments) { return arguments.format == "dot"; }

void draw(const sim::StateGraph& graph, ExploreReport& report) {
  if (!graph.can_be_drawn()) {
    throw harness::InputError(
        "--format", 0,
        fmt::format("dot: {} states are too many to draw, {} are the most; fewer rounds, attempts, clients "
                    "or faults make it smaller",
                    graph.states(), sim::StateGraph::states_max));
  }
  const std::string& title = report.scenario.title;
  report.graph = graph.dot(title.empty() ? report.scenario.name : title);
}

/// What a checkpoint is of.
sim::CheckpointOf searched(const Arguments& arguments, const search::Question& question, const ExploreReport& report) {
  const harness::Scenario& scenario = question.scenario;
  return {{"build of lockproof", build_of_lockproof()},
          {"scenario, or of this one before it was edited", scenario.text},
          {"lock", fmt::format("{} {}", scenario.algorithm->name, scenario.algorithm->text)},
          {"budget (--budget)", arguments.budget.empty() ? "" : text_of(arguments.budget)},
          {"number of faults (--max-faults)", std::to_string(question.bounds.max_faults)},
          {"engine (--engine)", report.engine},
          {"way to search (--no-reduction, --find)",
           fmt::format("{} {} {}", report.reduced, stops_at_first(arguments), finds_causes(arguments))}};
}

Stop stop_of(search::End end) {
  switch (end) {
    case search::End::complete: return Stop::none;
    case search::End::enough: return Stop::first;
    case search::End::limit: return Stop::memory;
    case search::End::unrepresentable: return Stop::unrepresentable;
    case search::End::horizon: return Stop::horizon;
    case search::End::difference: return Stop::difference;
  }
  return Stop::none;
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
  question.reduces = !arguments.no_reduction;
  if (stops_at_first(arguments)) question.enough = [](const std::set<sim::ViolationKind>&) { return true; };
  question.engine = arguments.engine == "zones"                                   ? search::Engine::zones
                    : arguments.engine == "stateful"                              ? search::Engine::stateful
                    : arguments.engine == "reexecution" || draws_graph(arguments) ? search::Engine::reexecution
                                                                                  : search::Engine::either;
  return question;
}

/// Fills in the answer, and why it ended.
void search(const Arguments& arguments, search::Question& question, ExploreWatch& watch, ExploreReport& report) {
  const bool keeps = !report.checkpoint.empty();
  sim::CheckpointOf of = keeps ? searched(arguments, question, report) : sim::CheckpointOf();
  std::unique_ptr<CheckpointFile> from;
  if (!arguments.resume.empty()) {
    from = std::make_unique<CheckpointFile>(arguments.resume, of);
    question.resume = &from->in();
  }
  if (keeps) question.save = [&](const auto& write) { write_checkpoint(report.checkpoint, of, write); };
  question.changes_engine = [&](const std::string&) {
    report.engine = "reexecution";
    if (keeps) of = searched(arguments, question, report);
  };
  sim::StateGraph graph;
  if (draws_graph(arguments)) question.graph = &graph;
  try {
    static_cast<search::Answer&>(report) = search::answer(question, watch.limits(arguments.workers));
  } catch (const sim::CheckpointError& e) {
    throw harness::InputError(arguments.resume, 0, e.what());
  }
  report.seconds = watch.seconds();
  report.held = watch.guard().held();
  report.stop = watch.stop();
  if (!report.why_reexecution.empty()) report.engine = "reexecution";
  if (question.graph) draw(graph, report);
  if (report.stop == Stop::none) report.stop = stop_of(report.end);
  if (report.stop != Stop::none && !report.found.complete) report.found.stopped = stop_text(report);
  if (!report.found.probes_stopped.empty()) report.found.probes_stopped = stop_text(report);
}

/// The answer's counterexamples with what they are of.
void sign(const ExploreReport& report, sim::Counterexample& shown) {
  shown.scenario.source = report.reproduce;
  shown.scenario.text = harness::to_toml(shown.scenario);
}

void complain_of_engine(const Arguments& arguments, const search::Question& question, const std::string& refused) {
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
void describe(const Arguments& arguments, const search::Question& question, ExploreReport& report) {
  const std::string subject = harness::shell_word(arguments.paths.front()) + algorithm_words(arguments) +
                              (question.alone ? " --budget " + harness::shell_word(arguments.budget) : "");
  report.command = fmt::format(
      "lockproof explore {}{}{}{}", subject, arguments.engine == "auto" ? "" : " --engine " + arguments.engine,
      arguments.no_reduction ? " --no-reduction" : "", finds_causes(arguments) ? " --find causes" : "");
  const std::string max_faults = arguments.max_faults ? fmt::format(" --max-faults {}", *arguments.max_faults) : "";
  report.reproduce = report.command + max_faults + (stops_at_first(arguments) ? " --find first" : "");
  if (!question.bounds.budget.empty() && !question.scenario.program) {
    report.draws = fmt::format("lockproof run {}{} --runs 2000 --strategy random", subject, max_faults);
  }
  report.limits = {arguments.time, arguments.memory, max_faults};
  report.checkpoint = !arguments.checkpoint.empty() ? arguments.checkpoint
                      : !arguments.resume.empty()   ? arguments.resume
                      : !arguments.out.empty()      ? arguments.out + "/checkpoint"
                                                    : "";
}

ExploreReport explore(const Arguments& arguments) {
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));  // a program takes its time to begin
  ExploreReport report;
  const harness::Scenario scenario = scenario_of(arguments);
  search::Question question = question_of(arguments, scenario);
  const bool in_zones = question.engine == search::Engine::zones;
  const std::string refused = in_zones ? "" : search::why_reexecution(question);
  complain_of_engine(arguments, question, refused);
  report.engine = in_zones                                      ? "zones"
                  : question.engine == search::Engine::either   ? refused.empty() ? "stateful" : "reexecution"
                  : question.engine == search::Engine::stateful ? "stateful"
                                                                : "reexecution";
  report.reduced = question.reduces;
  describe(arguments, question, report);

  search(arguments, question, watch, report);
  if (report.engine == "reexecution" && report.why_reexecution.empty()) report.why_reexecution = refused;
  const std::stop_token stop = watch.guard().stop_telling();
  search::enact_all(report, question, stop);
  for (auto& [way, shown] : report.counterexamples) sign(report, shown);
  if (const auto* shown = search::first_counterexample(report)) {
    const sim::Counterexample& found = shown->second;
    const std::vector<check::Finding> findings = check::judge(found.history, found.scenario);
    report.happened = harness::first_sentence(found.history, findings, shown->first.first);
    if (const std::string probe = probe_text(report); !probe.empty()) report.happened += " " + probe;
  }
  if (finds_causes(arguments)) {
    report.causes = causes_of(report.scenario, report.parted, report.found, [&](const auto& way, const auto& broken) {
      auto shown = search::enact(report, question, way, broken, stop);
      if (shown && !shown->hidden) sign(report, *shown);
      return shown && shown->hidden ? std::nullopt : std::move(shown);
    });
  }
  auto expected = check::expected_of(scenario, &harness::Expect::explore);
  if (question.alone) expected.emplace();  // a budget of one's own: the scenario does not say what comes of it
  report.ignores_expect = question.alone;
  report.properties = check::compare(search::findings_of(report), expected);
  return report;
}

void save(const Arguments& arguments, ExploreReport& report) {
  for (const auto& [way, shown] : report.counterexamples) {
    const std::string name = way.second.empty() ? way.first : way.first + "-" + way.second;
    const std::string path = fmt::format("{}/{}-{}.toml", arguments.out, report.scenario.name, name);
    write_scenario(path, shown.scenario);
    report.saved.emplace(way.first, path);  // the worst kind comes first
  }
  std::vector<Cause> none;
  for (Cause& cause : report.causes ? *report.causes : none) {
    const auto& [property, kind] = cause.way;
    cause.file = fmt::format("{}/{}-{}{}-by-{}.toml", arguments.out, report.scenario.name, property,
                             kind.empty() ? "" : "-" + kind, in_a_name(words_of(cause)));
    write_scenario(cause.file, cause.witness);
  }
  write_file(arguments.out + "/verdict.json", explore_json(report));
}

/// `brief`: why the search stopped, and what happened, is said elsewhere, once.
harness::RunReport as_run(const ExploreReport& report, bool brief = false) {
  harness::RunReport run;
  run.describe(report.scenario);
  run.world = "explored";
  run.properties = report.properties;
  run.ignores_expect = report.ignores_expect;
  for (check::Compared& compared : run.properties) {
    const std::string& what = compared.finding.what;
    if (brief && (what == report.found.stopped || what == search::nothing_shown)) compared.finding.what.clear();
    if (brief) search::leave_out_unpreventable(report, compared.finding);
  }
  if (!brief) run.happened = report.happened;
  run.reproduce = report.reproduce;
  run.seconds = report.seconds;
  return run;
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
  const auto* const told = search::first_counterexample(report);
  const auto saved = told ? report.saved.find(told->first.first) : report.saved.end();
  if (saved == report.saved.end()) {
    fmt::print(for_people ? stdout : stderr, "no page: there is no counterexample\n");
    return check::exit_code::met;
  }
  harness::Scenario scenario = harness::load_scenario(saved->second);
  if (scenario.program) put_in_virtual_time(scenario, arguments);
  const std::string folder = std::filesystem::path(saved->second).replace_extension().string();
  write_run(folder, execution::execute(scenario, execution::WorldKind::simulated, scenario.seed));
  return write_pages({{folder}, arguments.out}, !for_people);
}

void print_graph(const Arguments& arguments, const std::string& graph) {
  if (arguments.redirect.empty()) {
    fmt::print("{}", graph);
  } else {
    write_file(arguments.redirect, graph);
  }
}

}  // namespace

harness::RunReport explored(const Arguments& arguments) { return as_run(explore(arguments)); }

int explore_command(const Arguments& arguments) {
  ExploreReport report = explore(arguments);
  if (!arguments.out.empty()) save(arguments, report);
  if (!arguments.junit.empty()) write_file(arguments.junit, harness::junit({as_run(report)}));
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
  const int page = arguments.html ? write_page(arguments, report) : check::exit_code::met;
  return page != check::exit_code::met ? page : check::exit_code_of(overall(report.properties));
}

}  // namespace lockproof::cli
