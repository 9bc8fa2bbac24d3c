// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/sweep_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/server_options.hpp"
#include "cli/output/output.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::cli {
namespace {

std::string reproduce(const Arguments& arguments) {
  return fmt::format("lockproof sweep {}{}{}{}", harness::shell_word(arguments.paths.front()),
                     arguments.faults.empty() ? "" : fmt::format(" --faults {}", fmt::join(arguments.faults, ",")),
                     arguments.max_faults.value_or(1) > 1 ? " --max-faults 2" : "",
                     program_words(arguments) + (arguments.traces ? " --server traced" : ""));
}

}  // namespace

int print_sweep(const Arguments& arguments, harness::SweptReport& report) {
  report.reproduce = reproduce(arguments);
  if (!arguments.out.empty()) save_file(arguments.out + "/sweep.json", swept_json(report));
  if (!arguments.junit.empty()) save_file(arguments.junit, swept_junit(report));
  if (arguments.format == "json") {
    fmt::print("{}", swept_json(report));
  } else {
    const harness::Style style = style_of_stdout();
    print_text(style,
               fmt::format("{}\n{}, real, swept\n\n{}\n", style.strong(harness::heading(report.title, report.scenario)),
                           report.algorithm, swept_text(report, style)));
    fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
  }
  return exit_code_of(report);
}

}  // namespace lockproof::cli
