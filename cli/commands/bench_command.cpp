// SPDX-License-Identifier: Apache-2.0
// bench: how fast each lock is, and how long it takes to free itself.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/commands/bench_scenarios.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/bench.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/services.hpp"
#include "harness/stop.hpp"
#include "real/os/side_by_side.hpp"
#include "real/run/run.hpp"
#include "sim/run.hpp"

namespace lockproof::cli {
namespace {

using execution::WorldKind;
using harness::BenchCell;
using harness::BenchSetup;
using harness::Figures;

/// What a process of its own found, as it comes through a pipe: microseconds, -1 for never.
std::string takeover_text(const Figures& figures) {
  return fmt::format("{} {} {}", figures.takeover.value_or(Duration(-1)).count(), figures.watched.count(),
                     figures.two_inside);
}
Figures takeover_from(const std::string& text) {
  long long takeover = 0, watched = 0;
  char two_inside[32] = "";
  if (std::sscanf(text.c_str(), "%lld %lld %31s", &takeover, &watched, two_inside) < 2) {
    throw std::runtime_error("a run answered '" + text + "'");
  }
  Figures figures;
  if (takeover >= 0) figures.takeover = Duration(takeover);
  figures.watched = Duration(watched);
  figures.two_inside = two_inside;
  return figures;
}

harness::History run_once(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                          const std::stop_token& stop) {
  if (world == WorldKind::real) return real::run(scenario, {.seed = seed, .record_inputs = false, .stop = stop});
  return sim::run(scenario, seed, {.record = true, .record_inputs = false, .token_name = {}, .stop = stop});
}

/// One algorithm in one world: its scenarios are written out if the caller wants them.
class Bench {
 public:
  Bench(const BenchSetup& setup, const Arguments& arguments, const Algorithm& lock, WorldKind world,
        std::stop_token stop)
      : setup_(setup), arguments_(arguments), lock_(lock), algorithm_(lock.name), world_(world), stop_(std::move(stop)),
        word_(world == WorldKind::real ? "real" : "simulated"),
        folder_(arguments.out.empty() ? "" : arguments.out + "/scenarios") {}

  /// `begin`: told of each cell before it is measured. Throws harness::Stopped.
  std::vector<BenchCell> row(const std::function<void(const std::string& cell)>& begin) const {
    const std::vector<std::vector<Figures>> crashes = crash();
    std::vector<BenchCell> cells;
    for (std::size_t i = 0; i < setup_.clients.size(); ++i) {
      const int clients = setup_.clients[i];
      begin(fmt::format("{}, {}, {} clients", algorithm_, word_, clients));
      const harness::Scenario load = scenario("load", load_scenario_text(setup_, subject(clients)), clients);
      std::vector<Figures> found;
      for (int run = 1; run <= setup_.runs; ++run) found.push_back(figures(load, run));
      cells.push_back(bench_cell(algorithm_, word_, clients, found, crashes[i]));
    }
    return cells;
  }

 private:
  harness::Scenario scenario(std::string_view kind, const std::string& text, int clients) const {
    const std::string name = fmt::format("{}-{}-{}-{}.toml", algorithm_, word_, clients, kind);
    if (folder_.empty()) return harness::parse_scenario(name, text);
    const std::string file = fmt::format("{}/{}", folder_, name);
    write_file(file, text);
    return harness::parse_scenario(file, text);
  }
  [[nodiscard]] BenchSubject subject(int clients) const { return {lock_, world_, clients, folder_}; }

  Figures figures(const harness::Scenario& scenario, int run) const {
    return figures_of(run_once(scenario, world_, static_cast<std::uint64_t>(run), stop_), scenario);
  }

  /// By number of clients. On real servers one run each, and all at once: it is waiting for the lease, mostly.
  std::vector<std::vector<Figures>> crash() const {
    std::vector<std::vector<Figures>> found;
    std::vector<std::function<std::string()>> real;
    for (const int clients : setup_.clients) {
      const harness::Scenario crash = scenario("crash", crash_scenario_text(setup_, subject(clients)), clients);
      found.emplace_back();
      if (world_ == WorldKind::real) {
        real.emplace_back([this, crash] { return takeover_text(figures(crash, 1)); });
      } else {
        for (int run = 1; run <= setup_.runs; ++run) found.back().push_back(figures(crash, run));
      }
    }
    real::side_by_side(
        real.size(), static_cast<unsigned>(real.size()), [&](std::size_t i) { return real[i](); },
        [&](std::size_t i, const std::string& answer) { found[i].push_back(takeover_from(answer)); },
        [this] { return !stop_.stop_requested(); }, real::Unfinished::ended);
    harness::look_at(stop_);
    return found;
  }

  const BenchSetup& setup_;
  const Arguments& arguments_;
  const Algorithm& lock_;
  const std::string algorithm_;
  const WorldKind world_;
  const std::stop_token stop_;
  const std::string word_;
  const std::string folder_;
};

std::vector<harness::AlgorithmRef> asked_algorithms(const Arguments& arguments) {
  std::vector<harness::AlgorithmRef> asked;
  for (const std::string& word : arguments.paths) asked.push_back(harness::algorithm_from(word));
  if (!asked.empty()) return asked;
  for (const Algorithm& algorithm : catalogue()) asked.emplace_back(&algorithm);
  return asked;
}

}  // namespace

int bench_command(const Arguments& arguments) {
  BenchSetup setup = bench_setup();
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
  const auto begin = [&](const std::string& cell) { line.show(begun++, all, "measured: " + cell); };
  const LimitGuard guard(time_from(arguments.time), {});
  std::vector<BenchCell> cells;
  try {
    for (const harness::AlgorithmRef& algorithm : algorithms) {
      for (const WorldKind world : worlds_of(algorithm)) {
        const std::vector<BenchCell> row = Bench(setup, arguments, *algorithm, world, guard.stop()).row(begin);
        line.clear();
        if (text) fmt::print("{}", bench_line(row));
        std::fflush(stdout);
        cells.insert(cells.end(), row.begin(), row.end());
      }
    }
  } catch (const harness::Stopped&) {
    line.clear();
    complain(fmt::format("{} after {} of {} rows; the others were not measured",
                         guard.why() == Stop::time ? "stopped by --time" : "interrupted",
                         cells.size() / setup.clients.size(), rows));
  }
  const std::string json = bench_json(setup, cells);
  fmt::print("{}", text ? "\n" + bench_assumptions(setup, arguments.real) : json);
  if (!arguments.out.empty()) {
    write_file(arguments.out + "/bench.json", json);
    if (text) fmt::print("written: {0}/bench.json, and the scenarios in {0}/scenarios\n", arguments.out);
  }
  return guard.why() == Stop::none ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
