// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/fuzz_output.hpp"

#include <fmt/format.h>

#include "cli/output/output.hpp"
#include "execution/fuzz/fuzz_report.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/junit.hpp"

namespace lockproof::cli {

int show(const harness::FuzzReport& r, const Arguments& arguments) {
  if (!arguments.out.empty()) save_file(arguments.out + "/verdict.json", fuzzed_json(r));
  if (!arguments.junit.empty()) save_file(arguments.junit, harness::junit({r.run}));
  fmt::print("{}", arguments.format == "json" ? fuzzed_json(r) : execution::fuzz_text(r, style_of_stdout()));
  return r.run.runs == 0 ? check::exit_code::unknown : check::exit_code_of(overall(r.run.properties));
}

}  // namespace lockproof::cli
