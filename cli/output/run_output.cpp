// SPDX-License-Identifier: Apache-2.0
#include "cli/output/run_output.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/output/output.hpp"
#include "harness/check/expectation.hpp"
#include "harness/check/properties.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/report/text/sequence_diagram.hpp"
#include "harness/report/trace.hpp"
#include "harness/report/verdicts.hpp"

namespace lockproof::cli {

void save_run(const std::string& folder, const execution::Execution& run) {
  save_file(folder + "/history.jsonl", to_jsonl(run.history));
  save_file(folder + "/verdict.json", verdict_json(run.report));
  save_file(folder + "/trace.txt", trace(run.history, harness::Style(false)));
}

void print_diagram(const sim::Counterexample& found, const std::string& origin) {
  const auto judged = check::compare(check::judge(found.history, found.scenario), std::nullopt);
  fmt::print("{}", sequence_diagram(found.history, judged, origin));
}

}  // namespace lockproof::cli
