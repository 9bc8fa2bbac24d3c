// SPDX-License-Identifier: Apache-2.0
// bench: how fast each lock is, and how long it takes to free itself.
#include <fmt/format.h>

#include <cstdio>
#include <functional>

#include "algorithms/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "execution/bench/bench.hpp"
#include "execution/bench/bench_scenarios.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/bench.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/services.hpp"
#include "harness/stop.hpp"

namespace lockproof::cli {
namespace {

using execution::WorldKind;
using harness::BenchCell;
using harness::BenchSetup;

std::vector<harness::AlgorithmRef> asked_algorithms(const Arguments& arguments) {
  std::vector<harness::AlgorithmRef> asked;
  for (const std::string& word : arguments.paths) asked.push_back(harness::algorithm_from(word));
  if (!asked.empty()) return asked;
  for (const Algorithm& algorithm : catalogue()) asked.emplace_back(&algorithm);
  return asked;
}

}  // namespace

int bench_command(const Arguments& arguments) {
  BenchSetup setup = execution::bench_setup();
  if (!arguments.clients.empty()) setup.clients = arguments.clients;
  if (arguments.runs) setup.runs = static_cast<int>(*arguments.runs);
  const std::vector<harness::AlgorithmRef> algorithms = asked_algorithms(arguments);
  const auto worlds_of = [&](const harness::AlgorithmRef& algorithm) {
    std::vector<WorldKind> worlds{WorldKind::simulated};
    const bool has_servers = harness::row_of(algorithm->service).simulated_only.empty();
    if (arguments.real && has_servers) worlds.push_back(WorldKind::real);
    return worlds;
  };
  std::size_t rows = 0;
  for (const harness::AlgorithmRef& algorithm : algorithms) rows += worlds_of(algorithm).size();
  const bool text = arguments.format == "text";

  if (text) fmt::print("{}", bench_heading(setup));
  ProgressLine line("measuring");
  std::size_t begun = 0;
  const std::size_t all = rows * setup.clients.size();
  const LimitGuard guard(time_from(arguments.time), {});
  const execution::BenchOrder order{
      .setup = setup,
      .folder = arguments.out.empty() ? "" : arguments.out + "/scenarios",
      .write = [](const std::string& file, const std::string& body) { save_file(file, body); },
      .begin = [&](const std::string& cell) { line.show(begun++, all, "measured: " + cell); },
      .stop = guard.stop()};
  std::vector<BenchCell> cells;
  try {
    for (const harness::AlgorithmRef& algorithm : algorithms) {
      for (const WorldKind world : worlds_of(algorithm)) {
        const std::vector<BenchCell> row = execution::bench_row(order, *algorithm, world);
        line.clear();
        if (text) fmt::print("{}", bench_line(row));
        std::fflush(stdout);
        cells.insert(cells.end(), row.begin(), row.end());
      }
    }
  } catch (const harness::Cancellation&) {
    line.clear();
    complain(fmt::format("{} after {} of {} rows; the others were not measured",
                         guard.why() == StopReason::time ? "stopped by --time" : "interrupted",
                         cells.size() / setup.clients.size(), rows));
  }
  const std::string json = bench_json(setup, cells);
  fmt::print("{}", text ? "\n" + bench_assumptions(setup, arguments.real) : json);
  if (!arguments.out.empty()) {
    save_file(arguments.out + "/bench.json", json);
    if (text && unwritten().empty())
      fmt::print("written: {0}/bench.json, and the scenarios in {0}/scenarios\n", arguments.out);
  }
  return guard.why() == StopReason::none ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
