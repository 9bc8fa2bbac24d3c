// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/lease_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "execution/explore/lease_set.hpp"
#include "execution/explore/open_lease.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"

namespace lockproof::cli {
namespace {

/// Many searches make the answer, and no counterexample is part of it.
void require_no_more(const Arguments& arguments) {
  const auto refuse = [](bool is_there, const char* option) {
    if (!is_there) return;
    throw harness::InputError(option, 0, "has no part where lease = \"?\" is asked; write a lease");
  };
  refuse(arguments.format != "text" && arguments.format != "json", "--format");
  refuse(arguments.find == "first" || arguments.find == "causes", "--find");
  refuse(arguments.engine != "auto" && arguments.engine != "zones", "--engine");
  refuse(!arguments.checkpoint.empty(), "--checkpoint");
  refuse(!arguments.resume.empty(), "--resume");
  refuse(!arguments.junit.empty(), "--junit");
  refuse(!arguments.out.empty(), "--out");
  refuse(arguments.html, "--html");
}

}  // namespace

bool asks_for_lease(const Arguments& arguments) {
  const std::string path = scenario_path(arguments.paths.front());
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) && execution::asks_for_lease(path, harness::text_of(path));
}

int answer_lease(const Arguments& arguments,
                 const std::function<search::Question(const harness::Scenario& scenario)>& question_of) {
  require_no_more(arguments);
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));
  const std::string path = scenario_path(arguments.paths.front()), text = harness::text_of(path);
  const harness::AlgorithmRef algorithm = harness::algorithm_from(arguments.algorithm);
  execution::LeaseOrder order;
  order.ask = [&](Duration lease) {
    harness::Scenario scenario = execution::parse_with_lease(path, text, algorithm, lease);
    scenario.called = arguments.paths.front();
    search::Question question = question_of(scenario);
    question.engine = search::Engine::zones;
    question.drifts = question.tells_unpreventable = question.estimates = false;
    return question;
  };
  order.limits = watch.limits(arguments.workers);
  order.tell = [&](const std::string& doing) { watch.line().show("searching: " + doing); };
  execution::LeaseReport report = execution::leases_of(order);
  watch.line().clear();
  report.reproduce = fmt::format("lockproof explore {}{}{}{}", harness::shell_word(arguments.paths.front()),
                                 algorithm_words(arguments),
                                 arguments.budget.empty() ? "" : " --budget " + harness::shell_word(arguments.budget),
                                 arguments.max_faults ? fmt::format(" --max-faults {}", *arguments.max_faults) : "");
  if (arguments.format == "json") {
    fmt::print("{}", lease_json(report));
  } else {
    const harness::Style style = style_of_stdout();
    print_text(style, fmt::format("{}\n{}", style.strong(harness::heading(report.scenario.title, report.scenario.name)),
                                  lease_text(report)));
    fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
  }
  return execution::is_decided(report) && !report.was_stopped ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
