// SPDX-License-Identifier: Apache-2.0
// A scenario that is searched by zones.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "search/core/contention.hpp"
#include "search/core/exploration.hpp"
#include "search/search.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "search/verdicts.hpp"
#include "search/zones/zone_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::zones {

inline constexpr const char* exclusion_name = "mutual-exclusion";

/// Two clients of a lock with its lease, who read, hold and write; pauses of up to so long.
struct Setting {
  Duration lease = seconds(10), work = seconds(6), least_latency = milliseconds(1), most_latency = milliseconds(1);
  Duration pause = seconds(3), timeout = seconds(2);
  int faults = 1, clients = 2, rounds = 1;
  std::string algorithm = "set-px-token";
  std::vector<std::string> other_faults{};  // lines of entries of the budget, instead of the pauses

  [[nodiscard]] harness::Scenario scenario(const std::string& more = "") const {
    using harness::to_text;
    return tests::scenario(
        "[network]\nlatency = \"" + harness::range_text(least_latency, most_latency) + "\"\ntimeout = \"" +
            to_text(timeout) + "\"\n[workload]\nclients = " + std::to_string(clients) +
            "\nrounds = " + std::to_string(rounds) + "\nlease = \"" + to_text(lease) +
            "\"\nacquire_timeout = \"for ever\"\nwork = [\"read\", \"hold " + to_text(work) + "\", \"write\"]\n" +
            more + "[explore]\nfailed_attempts = 2\nmax_faults = " + std::to_string(faults) + "\n" + budget(),
        algorithm);
  }
  /// Whether the lock's service can have those of the budget.
  [[nodiscard]] bool can_have_faults() const {
    const harness::ServiceRow& service = harness::row_of(find_algorithm(algorithm)->service);
    return std::ranges::none_of(service.lacks, [&](harness::FaultKind kind) {
      const std::string named = "kind = \"" + std::string(harness::name(kind)) + "\"";
      return std::ranges::any_of(other_faults, [&](const std::string& entry) { return entry.starts_with(named); });
    });
  }
  [[nodiscard]] std::string budget() const {
    std::vector<std::string> entries = other_faults;
    if (entries.empty()) {
      entries = {"kind = \"pause\"\ntarget = \"clients\"\nfor = \"" + harness::range_text({}, pause) + "\"\n"};
    }
    std::string all;
    for (const std::string& entry : entries) {
      all += "[[explore.fault]]\n" + entry;
      if (entry.find("most = ") == std::string::npos) all += "most = " + std::to_string(std::max(faults, 1)) + "\n";
    }
    return all;
  }
};

/// An entry of a budget, with a name for tests.
struct Entry {
  std::string name, text;
};

inline sim::Exploration explored(const harness::Scenario& scenario) {
  const harness::Scenario bounded = sim::bounded(scenario, *scenario.explore, false);
  EXPECT_EQ(why_unsuited(bounded, *scenario.explore), "");
  return explore_zones(bounded, *scenario.explore, {});
}

/// Kinds of violation, with the fewest faults of each.
using Kinds = std::map<sim::ViolationKind, int>;

inline Kinds kinds_of(const sim::Exploration& found) {
  Kinds kinds;
  for (const auto& [kind, violation] : found.broken) kinds.emplace(kind, violation.faults);
  return kinds;
}

/// Those of one property.
inline Kinds kinds_of(const sim::Exploration& found, const std::string& property) {
  Kinds kinds = kinds_of(found);
  std::erase_if(kinds, [&](const auto& one) { return one.first.first != property; });
  return kinds;
}

/// What the engine that looks states up finds, of the properties that zones judge.
inline Kinds kinds_of_points(const harness::Scenario& scenario, const std::set<std::string>& judged) {
  const harness::Scenario bounded = sim::bounded(scenario, *scenario.explore, false);
  const sim::Exploration points = sim::explore_stateful(bounded, *scenario.explore, {});
  EXPECT_TRUE(points.complete) << points.stopped;
  Kinds kinds = kinds_of(points);
  std::erase_if(kinds, [&](const auto& one) { return !judged.contains(one.first.first); });
  return kinds;
}

/// With points instead of ranges both engines know the same kinds. Returns what zones find.
inline sim::Exploration expect_agreement(const harness::Scenario& scenario, const std::string& name) {
  sim::Exploration found = explored(scenario);
  EXPECT_TRUE(found.complete) << name << ": " << found.stopped;
  EXPECT_EQ(found.undecided, (std::map<std::string, std::string>())) << name;
  EXPECT_EQ(kinds_of(found), kinds_of_points(scenario, found.judged)) << name;
  return found;
}

/// Searches, and shows each violation by a run.
inline search::Answer answered(const harness::Scenario& scenario, search::Engine engine = search::Engine::zones) {
  search::Question question{.scenario = scenario, .bounds = *scenario.explore};
  question.engine = engine;
  search::Answer answer = search::answer(question, {});
  search::enact_all(answer, question, {});
  EXPECT_TRUE(answer.found.complete) << answer.found.stopped;
  for (const auto& [kind, found] : answer.found.broken) {
    const auto shown = answer.counterexamples.find(kind);
    const bool is_shown = shown != answer.counterexamples.end();
    EXPECT_TRUE(is_shown) << kind.first << " " << kind.second;
    if (!is_shown) continue;
    const auto& run = *shown->second.scenario.expect.run;
    EXPECT_EQ(run.contains(kind.first) ? run.at(kind.first) : "", kind.second.empty() ? "violated" : kind.second);
  }
  return answer;
}

/// The verdict, or the kind of the violation.
inline std::string verdict(const search::Answer& answer, const std::string& property) {
  for (const check::Finding& finding : search::findings_of(answer)) {
    if (finding.property != property) continue;
    return finding.kind.empty() ? std::string(check::name(finding.verdict)) : finding.kind;
  }
  return "";
}

}  // namespace lockproof::zones
