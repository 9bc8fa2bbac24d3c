// SPDX-License-Identifier: Apache-2.0
// judge: what happened, by the logs of an incident.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output/drawing.hpp"
#include "cli/output/output.hpp"
#include "execution/judge/judge.hpp"
#include "harness/check/expectation.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

void write_judged(const std::string& folder, execution::Judgement& judged) {
  if (!judged.history.events.empty()) {
    write_file(folder + "/history.jsonl", harness::to_jsonl(judged.history));
    write_file(folder + "/verdict.json", harness::verdict_json(judged.verdicts));
  }
  if (judged.report.reproduction) {
    judged.report.reproduction->file = folder + "/incident.toml";
    write_file(judged.report.reproduction->file, judged.scenario);
  }
  write_file(folder + "/judged.json", harness::judged_json(judged.report));
}

int exit_code_of(const harness::JudgedReport& report) {
  switch (report.worst()) {
    case harness::Certainty::none: return report.has_doubts ? check::exit_code::unknown : check::exit_code::met;
    case harness::Certainty::possible: return check::exit_code::unknown;
    case harness::Certainty::certain: return check::exit_code::failed;
  }
  return check::exit_code::internal;
}

}  // namespace

int judge_command(const Arguments& arguments) {
  execution::JudgeOrder order{.patterns = {arguments.judge.enters, arguments.judge.leaves, arguments.judge.held},
                              .key = arguments.judge.key,
                              .clocks = harness::duration_from(arguments.judge.clocks).value()};
  for (const std::string& path : arguments.paths) order.files.push_back({path, harness::text_of(path)});
  execution::Judgement judged = execution::judge_logs(order);
  if (!arguments.out.empty()) write_judged(arguments.out, judged);
  if (arguments.format == "json") {
    fmt::print("{}", harness::judged_json(judged.report));
  } else {
    const harness::Style style = style_of_stdout();
    print_text(style, harness::judged_text(judged.report));
    const auto& made = judged.report.reproduction;
    if (made && !made->file.empty()) {
      const std::string file = harness::shell_word(made->file);
      fmt::print("{}\n{}\n", style.command("run it: ", "lockproof run " + file),
                 style.command("why, and what helps: ", "lockproof explain " + file));
    }
  }
  if (!arguments.out.empty() && !judged.history.events.empty()) {
    const int drawn = write_pages({{arguments.out}, arguments.out}, arguments.format == "json");
    if (drawn != check::exit_code::met && drawn != check::exit_code::environment) return drawn;
  }
  return exit_code_of(judged.report);
}

}  // namespace lockproof::cli
