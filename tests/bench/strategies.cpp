// SPDX-License-Identifier: Apache-2.0
// lockproof-strategies [SEEDS [RUNS [SCENARIO…]]]: how many runs, and seconds, each strategy takes to find what each
// violated scenario of the catalogue shows, from the budget of its topology alone: medians over some seeds, as a table.
// One worker; what a strategy does not find in RUNS counts as more than all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness/scenario/parse_bounds.hpp"
#include "sim/explore/hunt.hpp"
#include "tests/explore/shown.hpp"

namespace lockproof::sim {
namespace {

using harness::Scenario;

struct Measured {
  double runs = 0, seconds = 0;  // not found: infinite
};

Measured measure(const Scenario& scenario, const harness::Bounds& budget, const std::set<Way>& wanted,
                 Strategy strategy, std::uint64_t seed, std::uint64_t most) {
  using Clock = std::chrono::steady_clock;
  const auto found = [&](const Hunted& hunted) {  // anything that the scenario shows
    return std::ranges::any_of(wanted, [&](const Way& way) {
      return std::ranges::any_of(hunted.violated, [&](const auto& one) { return shown::covers({one.first}, {way}); });
    });
  };
  const auto begin = Clock::now();
  const Hunted hunted = hunt(
      scenario,
      {.strategy = strategy, .seed = mixed(seed, scenario.name), .runs = most, .budget = &budget, .enough = found});
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!found(hunted)) return {HUGE_VAL, HUGE_VAL};
  return {static_cast<double>(hunted.runs), seconds};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string cell(const Measured& m) {
  return std::isinf(m.runs) ? "-" : fmt::format("{:.0f} ({:.2f} s)", m.runs, m.seconds);
}

struct Sum {
  int found = 0, best = 0;
  double logs = 0;
};

}  // namespace

int compare(int seeds, std::uint64_t most, const std::set<std::string>& only) {
  std::map<Strategy, Sum> sums;
  int rows = 0;
  fmt::print("| scenario |");
  for (const Strategy strategy : strategies()) fmt::print(" {} |", name(strategy));
  fmt::print("\n|---|---|---|---|---|\n");
  for (const std::string& file : shown::scenarios()) {
    const Scenario written = harness::load_scenario(file);
    if (!only.empty() && !only.contains(written.name)) continue;
    harness::Bounds budget = harness::load_budget(shown::budget_of(written), written);
    const auto faults = shown::faults_needed.find(written.name);
    if (faults != shown::faults_needed.end()) budget.max_faults = faults->second;
    Scenario scenario = bounded(written, budget, true);
    scenario.horizon = written.horizon;
    ++rows;
    std::map<Strategy, Measured> medians;
    double least = HUGE_VAL;
    for (const Strategy strategy : strategies()) {
      std::vector<double> runs, seconds;
      for (int seed = 1; seed <= seeds; ++seed) {
        const Measured one =
            measure(scenario, budget, shown::shown_by(written), strategy, static_cast<std::uint64_t>(seed), most);
        runs.push_back(one.runs);
        seconds.push_back(one.seconds);
      }
      medians[strategy] = {median(runs), median(seconds)};
      least = std::min(least, medians[strategy].runs);
    }
    fmt::print("| `{}` |", written.name);
    for (const auto& [strategy, m] : medians) {
      fmt::print(" {} |", cell(m));
      Sum& sum = sums[strategy];
      sum.found += !std::isinf(m.runs);
      sum.best += !std::isinf(m.runs) && m.runs == least;
      sum.logs += std::log(std::min(m.runs, static_cast<double>(most)));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  const auto total = [&](const char* what, const auto& of) {
    fmt::print("| {} |", what);
    for (const auto& [strategy, sum] : sums) fmt::print(" {} |", of(sum));
    fmt::print("\n");
  };
  total(fmt::format("**found, of {}**", rows).c_str(), [](const Sum& s) { return s.found; });
  total("**fewest runs**", [](const Sum& s) { return s.best; });
  total("**geometric mean of the runs**", [&](const Sum& s) { return fmt::format("{:.0f}", std::exp(s.logs / rows)); });
  return rows > 0 ? 0 : 1;
}

}  // namespace lockproof::sim

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 5;
  const int most = argc > 2 ? std::atoi(argv[2]) : 10'000;
  if (seeds < 1 || most < 1) return std::fputs("lockproof-strategies [SEEDS [RUNS [SCENARIO...]]]\n", stderr), 64;
  const std::set<std::string> only(argv + std::min(argc, 3), argv + argc);
  return lockproof::sim::compare(seeds, static_cast<std::uint64_t>(most), only);
}
