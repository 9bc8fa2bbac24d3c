// SPDX-License-Identifier: Apache-2.0
// lockproof-strategies catalogue|rare [SEEDS [RUNS]]: how many runs, and seconds, each strategy takes to find
// something, from the budget of its topology alone: medians over some seeds, as a table. `catalogue`: what each
// violated scenario of the catalogue shows, with as few faults as it takes. `rare`: what few runs with three faults
// show, in scenarios that are quiet by themselves. One worker; what a strategy does not find in RUNS counts as more
// than all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness/scenario/file/parse_bounds.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/fuzz.hpp"
#include "tests/search/shown.hpp"

namespace lockproof::sim {
namespace {

using harness::Scenario;

struct Measured {
  double runs = 0, seconds = 0;  // not found: infinite
};

struct Target {
  std::string name;
  harness::Scenario scenario;
  harness::Bounds budget;
  std::set<ViolationKind> wanted;
};

Measured measure(const Target& target, Strategy strategy, std::uint64_t seed, std::uint64_t most) {
  using Clock = std::chrono::steady_clock;
  const auto found = [&](const FuzzResult& fuzzed) {  // anything that the scenario shows
    return std::ranges::any_of(target.wanted, [&](const ViolationKind& way) {
      return std::ranges::any_of(fuzzed.violated, [&](const auto& one) { return shown::covers({one.first}, {way}); });
    });
  };
  const auto begin = Clock::now();
  const FuzzResult fuzzed = fuzz(target.scenario, {.strategy = strategy,
                                                   .seed = mixed(seed, target.name),
                                                   .runs = most,
                                                   .budget = &target.budget,
                                                   .enough = found});
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!found(fuzzed)) return {HUGE_VAL, HUGE_VAL};
  return {static_cast<double>(fuzzed.runs), seconds};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string cell(const Measured& m) {
  return std::isinf(m.runs) ? "-" : fmt::format("{:.0f} ({:.2f} s)", m.runs, m.seconds);
}

Target target(const std::string& file, std::string name, int faults, std::set<ViolationKind> wanted) {
  const Scenario written = harness::load_scenario(file);
  harness::Bounds budget = harness::load_budget(shown::budget_of(written), written);
  budget.max_faults = faults;
  Scenario scenario = bounded(written, budget, true);
  if (budget.contention != harness::Contention::as_written) scenario = asking_sooner(scenario);  // as run --strategy
  scenario.horizon = written.horizon;
  return {std::move(name), std::move(scenario), std::move(budget), std::move(wanted)};
}

std::vector<Target> catalogue() {
  std::vector<Target> all;
  for (const std::string& file : shown::scenarios()) {
    const Scenario written = harness::load_scenario(file);
    const auto faults = shown::faults_needed.find(written.name);
    const int most = faults == shown::faults_needed.end() ? 1 : faults->second;
    all.push_back(target(file, fmt::format("`{}`", written.name), most, shown::shown_by(written)));
  }
  return all;
}

std::vector<Target> rare() {
  std::vector<Target> all;
  const std::pair<std::string, ViolationKind> sought[] = {
      {"redlock/redlock-drift-term", {"mutual-exclusion", "double-grant"}},
      {"fencing/lease-outlived-fenced", {"resource-safety", ""}},
      {"redlock/redlock-minority-down", {"mutual-exclusion", "outlived"}},
      {"network/late-set-ghost-ordered", {"deadlock-freedom", "livelock"}},
      {"redlock/redlock-minority-down", {"fault-tolerance", "lost-wakeup"}},
      {"notifications/missed-unlock-message-repaired", {"re-entrancy", "still-held"}},
      {"leases/lease-outlived", {"re-entrancy", "still-held"}}};
  for (const auto& [path, way] : sought) {
    const std::string file = fmt::format("{}/scenarios/documented/{}-twin.toml", LOCKPROOF_SOURCE, path);
    const std::string name = std::filesystem::path(path).filename();
    const std::string kind = way.second.empty() ? "" : " (" + way.second + ")";
    all.push_back(target(file, fmt::format("`{}-twin`: {}{}", name, way.first, kind), 3, {way}));
  }
  return all;
}

struct Sum {
  int found = 0, best = 0;
  double logs = 0;
};

std::map<Strategy, Measured> medians_of(const Target& target, int seeds, std::uint64_t most) {
  std::map<Strategy, Measured> medians;
  for (const Strategy strategy : strategies()) {
    std::vector<double> runs, seconds;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Measured one = measure(target, strategy, static_cast<std::uint64_t>(seed), most);
      runs.push_back(one.runs);
      seconds.push_back(one.seconds);
    }
    medians[strategy] = {median(runs), median(seconds)};
  }
  return medians;
}

}  // namespace

void compare(const std::vector<Target>& targets, int seeds, std::uint64_t most) {
  std::map<Strategy, Sum> sums;
  fmt::print("| scenario |");
  for (const Strategy strategy : strategies()) fmt::print(" {} |", name(strategy));
  fmt::print("\n|---|---|---|---|---|\n");
  for (const Target& target : targets) {
    const std::map<Strategy, Measured> medians = medians_of(target, seeds, most);
    double least = HUGE_VAL;
    for (const auto& [strategy, m] : medians) least = std::min(least, m.runs);
    fmt::print("| {} |", target.name);
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
  const auto total = [&](const std::string& what, const auto& of) {
    fmt::print("| {} |", what);
    for (const auto& [strategy, sum] : sums) fmt::print(" {} |", of(sum));
    fmt::print("\n");
  };
  const auto rows = static_cast<double>(targets.size());
  total(fmt::format("**found, of {}**", targets.size()), [](const Sum& s) { return s.found; });
  total("**fewest runs in**", [](const Sum& s) { return s.best; });
  total("**geometric mean of the runs**", [&](const Sum& s) { return fmt::format("{:.0f}", std::exp(s.logs / rows)); });
}

}  // namespace lockproof::sim

int main(int argc, char** argv) {
  namespace sim = lockproof::sim;
  const std::string what = argc > 1 ? argv[1] : "";
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 9;
  const int most = argc > 3 ? std::atoi(argv[3]) : 20'000;
  if ((what != "catalogue" && what != "rare") || seeds < 1 || most < 1) {
    std::fputs("lockproof-strategies catalogue|rare [SEEDS [RUNS]]\n", stderr);
    return 64;
  }
  sim::compare(what == "rare" ? sim::rare() : sim::catalogue(), seeds, static_cast<std::uint64_t>(most));
}
