// SPDX-License-Identifier: Apache-2.0
// The oracle of the rule for asking instants: generated scenarios, scaled down to a few dozen grid steps, are searched
// twice, with clients that ask at every step of the grid (contention = "anytime") and at the rule's instants only.
// Every kind of violation that the first search finds, the second must find, with as few faults, and a run must show
// each that the second finds. To see that it can fail: as the scenarios are written, clients ask at their start and
// then give up, and many kinds are lost.
//   lockproof-contention-oracle FIRST-SEED COUNT adversarial|as-written [ALGORITHM]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "harness/scenario/setup.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof {
namespace {

constexpr std::uint64_t states_most = 400'000;  // of a search that is compared
constexpr int step_ms = 100;                    // of the grid

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed * 7919 + 1) {}
  int between(int least, int most) {
    return least + static_cast<int>(bits_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  std::string steps(int least, int most) { return fmt::format("\"{}ms\"", step_ms * between(least, most)); }

 private:
  sim::RandomBits bits_;
};

struct DrawnFault {
  harness::FaultKind kind;
  std::string rest;
};

DrawnFault any_fault(Draw& draw) {
  using Kind = harness::FaultKind;
  switch (draw.between(1, 13)) {
    case 1:
      return {Kind::pause,
              fmt::format("target = \"clients\"\nfor = [{}, {}]\n", draw.steps(1, 20), draw.steps(12, 60))};
    case 2:
      return {Kind::suspend,
              fmt::format("target = \"clients\"\nfor = [{}, {}]\n", draw.steps(1, 20), draw.steps(12, 60))};
    case 3: return {Kind::pause, fmt::format("target = \"servers\"\nfor = {}\n", draw.steps(1, 40))};
    case 4: return {Kind::delay, fmt::format("by = {}\n", draw.steps(3, 60))};
    case 5: return {Kind::evict, ""};
    case 6: return {Kind::clock_jump, fmt::format("by = [\"+{0}ms\", \"-{0}ms\"]\n", step_ms * draw.between(2, 25))};
    case 7: return {Kind::partition, fmt::format("for = {}\n", draw.steps(3, 40))};
    case 8: return {Kind::restart, fmt::format("for = {}\n", draw.steps(1, 20))};
    case 9: return {Kind::crash, ""};
    case 10: return {Kind::half_open, ""};
    case 11: return {Kind::kill_task, ""};
    case 12: return {Kind::retry, ""};
    default: return {Kind::resend, fmt::format("for = {}\n", draw.steps(1, 20))};
  }
}

/// A fault that can happen to the lock's service.
std::string fault_of(Draw& draw, const Algorithm& algorithm) {
  while (true) {
    const DrawnFault drawn = any_fault(draw);
    if (!can_have(harness::row_of(algorithm.service), drawn.kind)) continue;
    return fmt::format("kind = \"{}\"\n{}", harness::name(drawn.kind), drawn.rest);
  }
}

std::string scenario_of(Draw& draw, const Algorithm& algorithm) {
  const bool many = algorithm.servers == Servers::all;
  const int clients = !many && draw.one_in(4) ? 3 : 2;
  const int rounds = clients == 2 && draw.one_in(4) ? 2 : 1;
  const int lease = 10 * draw.between(1, 4);
  std::string text = fmt::format(
      "{}\n[workload]\nclients = {}\nrounds = {}\nlease = \"{}ms\"\nwork = [\"read\", \"hold "
      "{}ms\", \"write\"]\n",
      harness::algorithm_table(algorithm), clients, rounds, step_ms * lease, step_ms * draw.between(2, 38));
  if (draw.one_in(5)) text += "stop_on = \"deadline\"\n";
  if (draw.one_in(5)) text += fmt::format("think_time = {}\n", draw.steps(0, 10));
  if (draw.one_in(3)) {
    text += fmt::format("\n[[client]]\nname = \"client-2\"\nstart = {}\n", draw.steps(0, 20));
    if (draw.one_in(2))
      text += fmt::format("clock = \"{}{}ms\"\n", draw.one_in(2) ? "+" : "-", step_ms * draw.between(1, 9));
  }
  const int latency = step_ms * draw.between(1, 2);
  text += "\n" + harness::servers_tables(algorithm, 3) + "\n[network]\n";
  if (!many && draw.one_in(8)) {
    text += fmt::format("latency = [\"{}ms\", \"{}ms\"]\n", latency, latency + step_ms);
  } else {
    text += fmt::format("latency = \"{}ms\"\n", latency);
  }
  text += fmt::format("timeout = {}\n", draw.steps(6, 30));
  text += fmt::format("\n[run]\ngrid = \"{}ms\"\n\n[explore]\nattempts = {}\n", step_ms, many ? 1 : draw.between(1, 2));
  const int faults = draw.one_in(6) ? 2 : draw.one_in(6) ? 0 : 1;
  text += fmt::format("max_faults = {}\n", faults);
  const int kinds = faults == 2 ? 2 : 1;
  for (int i = 0; i < kinds; ++i) text += "\n[[explore.fault]]\n" + fault_of(draw, algorithm);
  return text;
}

struct SearchResult {
  harness::Scenario scenario;
  harness::Bounds bounds;
  sim::Exploration found;
};

/// Nothing if it is too large.
std::optional<SearchResult> searched(harness::Scenario scenario, harness::Contention contention,
                                     std::uint64_t& states) {
  harness::Bounds bounds = scenario.explore.value();
  bounds.contention = contention;
  scenario = sim::bounded(std::move(scenario), bounds, false);
  sim::Limits limits;
  limits.reduce = limits.exchange = true;
  limits.estimate = false;
  limits.go_on = [](const sim::Progress& progress) { return progress.states < states_most; };
  sim::Exploration found = sim::explore_stateful(scenario, bounds, limits);
  states += found.states;
  if (!found.complete) return std::nullopt;
  return SearchResult{std::move(scenario), std::move(bounds), std::move(found)};
}

/// What a run does not show of what was found.
std::vector<std::string> not_shown(const SearchResult& searched, Duration horizon) {
  std::vector<std::string> all;
  for (const auto& [way, broken] : searched.found.broken) {
    const auto& [property, kind] = way;
    if (sim::counterexample(searched.scenario, searched.bounds, property, kind, broken, horizon)) continue;
    all.push_back(fmt::format("{} {}", property, kind));
  }
  return all;
}

struct Sum {
  std::uint64_t compared = 0, too_large = 0, lost = 0, unshown = 0, violated = 0, anytime_states = 0, rule_states = 0;
};

std::vector<const Algorithm*> algorithms_named(const std::string& name) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalogue()) {
    if (name.empty() || algorithm.name == name) all.push_back(&algorithm);
  }
  return all;
}

void compare(std::uint64_t seed, const Algorithm& algorithm, harness::Contention with, Sum& sum) {
  Draw draw(seed);
  const std::string text = scenario_of(draw, algorithm);
  const harness::Scenario scenario = harness::parse_scenario(fmt::format("seed-{}", seed), text);
  if (!sim::stateful_engine_refuses(scenario, *scenario.explore).empty()) return;
  std::uint64_t anytime_states = 0, rule_states = 0;
  const auto all = searched(scenario, harness::Contention::anytime, anytime_states);
  if (!all) {
    ++sum.too_large;
    return;
  }
  const auto rule = searched(scenario, with, rule_states);
  if (!rule) {
    ++sum.too_large;
    return;
  }
  sum.anytime_states += anytime_states;
  sum.rule_states += rule_states;
  ++sum.compared;
  sum.violated += !all->found.broken.empty();
  const std::vector<std::string> unshown = not_shown(*rule, scenario.horizon);
  if (!unshown.empty()) {
    ++sum.unshown;
    fmt::print("NOT SHOWN seed {} {}: {}\n{}\n", seed, algorithm.name, fmt::join(unshown, ", "), text);
  }
  const auto& of_rule = rule->found.broken;
  std::vector<std::string> lost;
  for (const auto& [way, broken] : all->found.broken) {
    const auto known = of_rule.find(way);
    if (known == of_rule.end()) lost.push_back(fmt::format("{} {}", way.first, way.second));
    if (known != of_rule.end() && known->second.faults > broken.faults) {
      lost.push_back(
          fmt::format("{} {} with {} faults and not {}", way.first, way.second, broken.faults, known->second.faults));
    }
  }
  if (lost.empty()) return;
  ++sum.lost;
  fmt::print("LOST seed {} {}: {}\n{}\n", seed, algorithm.name, fmt::join(lost, ", "), text);
}

int run(std::uint64_t first, std::uint64_t count, harness::Contention with, const std::string& name) {
  const auto algorithms = algorithms_named(name);
  std::map<std::string_view, Sum> sums;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Algorithm& algorithm = *algorithms[seed % algorithms.size()];
    try {
      compare(seed, algorithm, with, sums[algorithm.name]);
    } catch (const std::exception& error) {
      Draw again(seed);
      fmt::print("FAILED seed {} {}: {}\n{}\n", seed, algorithm.name, error.what(), scenario_of(again, algorithm));
      return 1;
    }
  }
  Sum all;
  for (const auto& [of, sum] : sums) {
    fmt::print(
        "{:24} {:4} compared, {:4} of them violate something, {:4} too large, {} lost, {} not shown; {} and {} "
        "states\n",
        of, sum.compared, sum.violated, sum.too_large, sum.lost, sum.unshown, sum.anytime_states, sum.rule_states);
    all.compared += sum.compared;
    all.lost += sum.lost;
    all.unshown += sum.unshown;
  }
  fmt::print("{} scenarios compared, {} lost a kind of violation, of {} a run does not show all that was found\n",
             all.compared, all.lost, all.unshown);
  return all.lost + all.unshown == 0 && all.compared > 0 ? 0 : 1;
}

}  // namespace
}  // namespace lockproof

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  const bool rule = std::string(argv[3]) == "adversarial";
  return lockproof::run(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
                        rule ? lockproof::harness::Contention::adversarial : lockproof::harness::Contention::as_written,
                        argc > 4 ? argv[4] : "");
}
