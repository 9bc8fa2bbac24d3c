// SPDX-License-Identifier: Apache-2.0
// lockproof-violations [TURNS]: how long a search takes, from the budget of its topology alone, until it has found what
// a violated scenario of the catalogue shows; as `lockproof explore` searches, one worker, medians over some turns, as
// a table.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "harness/scenario/file/parse_bounds.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/shown.hpp"

namespace lockproof::sim {
namespace {

using harness::Scenario;

struct Row {
  std::string name;
  std::uint64_t states = 0;
  double seconds = 0;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Throws std::runtime_error if the search ends without having found it, or takes longer than a minute.
Row measured(const std::string& file, int turns) {
  using Clock = std::chrono::steady_clock;
  constexpr double longest = 60;
  const Scenario written = harness::load_scenario(file);
  const std::set<ViolationKind> wanted = shown::shown_by(written);
  harness::Bounds budget = harness::load_budget(shown::budget_of(written), written);
  const auto faults = shown::faults_needed.find(written.name);
  if (faults != shown::faults_needed.end()) budget.max_faults = faults->second;
  const Scenario scenario = bounded(written, budget, true);
  Row row{.name = written.name};
  std::vector<double> seconds;
  for (int turn = 0; turn < turns; ++turn) {
    const auto begin = Clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    Limits limits{.exchange = true, .written_first = true, .estimate = false};
    limits.enough = [&](const std::set<ViolationKind>& found) { return shown::covers(found, wanted); };
    limits.go_on = [&](const Progress&) { return passed() < longest; };
    const Exploration found = explore_stateful(scenario, budget, limits);
    seconds.push_back(passed());
    std::set<ViolationKind> ways;
    for (const auto& [way, broken] : found.broken) ways.insert(way);
    if (!shown::covers(ways, wanted)) throw std::runtime_error(written.name + ": not found from its budget");
    row.states = found.states;
  }
  row.seconds = median(seconds);
  return row;
}

}  // namespace

void measure(int turns) {
  std::vector<Row> rows;
  for (const std::string& file : shown::scenarios()) rows.push_back(measured(file, turns));
  std::ranges::sort(rows, std::less<>(), &Row::seconds);
  fmt::print("| scenario | states | seconds |\n|---|---|---|\n");
  std::vector<double> seconds;
  for (const Row& row : rows) {
    fmt::print("| `{}` | {} | {:.3f} |\n", row.name, row.states, row.seconds);
    seconds.push_back(row.seconds);
  }
  fmt::print("{} violations, each from the budget of its topology: median {:.3f} s, longest {:.3f} s\n", rows.size(),
             median(seconds), seconds.back());
}

}  // namespace lockproof::sim

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 5;
  if (turns < 1) {
    std::fputs("lockproof-violations [TURNS]\n", stderr);
    return 64;
  }
  try {
    lockproof::sim::measure(turns);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "lockproof-violations: {}\n", problem.what());
    return 1;
  }
}
