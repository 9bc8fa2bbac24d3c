// SPDX-License-Identifier: Apache-2.0
// What the scenarios of the catalogue show, and the budget of its topology from which a search is to find it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/file/parse.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::sim::shown {

using harness::Scenario;
namespace fs = std::filesystem;

/// Scenarios that take more than one fault of the budget.
inline const std::map<std::string, int> faults_needed{{"server-clock-back", 2},   // a crash, and the clock
                                                      {"redlock-fast-node", 2}};  // a lost SET, and the clock

/// What a scenario shows and no search from a budget can. Who waits for a message asks no more, and a search has no
/// acquire_timeout after which he would. And a budget has a retry of its own, where redlock-lockstep is about the
/// retry; its faults strike at events, where watchdog-never-stops is interrupted in the midst of its work, and they end
/// sooner than the pause of redlock-hanging-server. What redlock-on-replicated-nodes needs, three of them, is too many,
/// and so are the two of permit-of-the-dead, with three clients. In the last ones somebody asks on for longer than the
/// attempts of the budgets reach.
inline const std::set<std::pair<std::string, std::string>> out_of_reach{
    {"expiry-is-silent", "bounded-takeover"},           {"redlock-lockstep", "deadlock-freedom"},
    {"watchdog-never-stops", "bounded-takeover"},       {"watchdog-never-stops", "deadlock-freedom"},
    {"redlock-hanging-server", "fault-tolerance"},      {"redlock-on-replicated-nodes", "mutual-exclusion"},
    {"redlock-on-replicated-nodes", "resource-safety"}, {"etcd-session-outlives-work", "bounded-takeover"},
    {"leader-ends-for-good", "deadlock-freedom"},       {"release-looks-failed", "deadlock-freedom"},
    {"unbounded-extension", "starvation-freedom"},      {"event-thread-waits", "mutual-exclusion"},
    {"event-thread-waits", "loss-notification"},        {"knex-3538", "deadlock-freedom"},
    {"permit-of-the-dead", "deadlock-freedom"}};

/// In these the holder gets three of five servers only. Partitions do that in the scenario; a rival does it in a
/// search.
inline const std::set<std::string> contended{"redlock-immediate-restart", "redlock-node-clock-jump"};

inline std::string budget_of(const Scenario& scenario) {
  const bool replicas = std::ranges::any_of(scenario.servers, [](const auto& s) { return !s.replica_of.empty(); });
  const bool five = scenario.servers.size() > 2;
  const char* topology = replicas                                    ? "master-replica"
                         : five && contended.contains(scenario.name) ? "five-servers-contended"
                         : five                                      ? "five-servers"
                                                                     : "one-server";
  return std::string(LOCKPROOF_SOURCE "/scenarios/budgets/") + topology + ".toml";
}

/// The ways in which the scenario breaks its properties; a kind of "" is any.
inline std::set<ViolationKind> shown_by(const Scenario& scenario) {
  std::set<ViolationKind> ways;
  for (const auto& [property, expected] : scenario.expect.run.value_or(harness::Expectations{})) {
    const bool broken = expected != "no-violation" && expected != "unknown" && property != "exercised";
    if (broken && !out_of_reach.contains({scenario.name, property})) {
      ways.emplace(property, expected == "violated" ? "" : expected);
    }
  }
  return ways;
}

/// Those that show something.
inline std::vector<std::string> scenarios() {
  std::vector<std::string> files;
  for (const char* folder : {"scenarios/documented", "scenarios/notes"}) {
    for (const auto& file : fs::recursive_directory_iterator(fs::path(LOCKPROOF_SOURCE) / folder)) {
      if (file.path().extension() != ".toml") continue;
      if (!shown_by(harness::load_scenario(file.path())).empty()) files.push_back(file.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

inline bool covers(const std::set<ViolationKind>& found, const std::set<ViolationKind>& wanted) {
  return std::ranges::all_of(wanted, [&](const ViolationKind& way) {
    return std::ranges::any_of(found, [&](const ViolationKind& f) {
      return f.first == way.first && (way.second.empty() || way.second == f.second);
    });
  });
}

}  // namespace lockproof::sim::shown
