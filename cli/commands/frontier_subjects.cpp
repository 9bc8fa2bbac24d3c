// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/frontier_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::cli {
namespace {

using harness::FaultKind;

// As scenarios/budgets/one-server.toml, but that a fault of a client and one of a server are told apart, and that a
// server may be back before its rivals ask again.
constexpr const char* anywhere[] = {
    "kind = \"pause\"\ntarget = \"clients\"\nfor = [\"slack+grid\", \"T/2\", \"T\", \"T+grid\"]\n",
    "kind = \"pause\"\ntarget = \"servers\"\nfor = [\"timeout/2\", \"slack+grid\", \"T/2\", \"T\", \"T+grid\"]\n",
    "kind = \"suspend\"\ntarget = \"clients\"\nfor = [\"slack+grid\", \"T/2\", \"T\", \"T+grid\"]\n",
    "kind = \"crash\"\n",
    "kind = \"kill-task\"\n",
    "kind = \"half-open\"\n",
    "kind = \"delay\"\nby = [\"timeout/2\", \"T/2\", \"T\", \"T+grid\"]\n",
    "kind = \"resend\"\nfor = [\"20ms\", \"timeout/2\", \"timeout-grid\"]\n",
    "kind = \"retry\"\n",
    "kind = \"break-connection\"\n",
    "kind = \"partition\"\nfor = [\"timeout/2\", \"T/2\", \"T\", \"T+grid\"]\n",
    "kind = \"clock-jump\"\ntarget = \"clients\"\nby = [\"T/2\", \"T\", \"T+grid\", \"-T/2\", \"-T\"]\n",
    "kind = \"clock-jump\"\ntarget = \"servers\"\nby = [\"T/2\", \"T\", \"T+grid\", \"-T/2\", \"-T\"]\n",
    "kind = \"clock-rate\"\ntarget = \"clients\"\nrate = [\"+1%\", \"-1%\", \"+2%\", \"-2%\"]\n",
    "kind = \"clock-rate\"\ntarget = \"servers\"\nrate = [\"+1%\", \"-1%\", \"+2%\", \"-2%\"]\n",
    "kind = \"restart\"\nfor = [\"4ms\", \"T/4\", \"T\"]\n",
    "kind = \"power-cut\"\nfor = [\"4ms\", \"T/4\", \"T\"]\n",
    "kind = \"evict\"\n",
    "kind = \"flush\"\n",
    "kind = \"pool-switch\"\n",
};
constexpr const char* between_servers[] = {
    "kind = \"failover\"\n",
    "kind = \"replication-stall\"\nfor = [\"T/2\", \"T\", \"T+grid\"]\n",
};

struct Topology {
  std::string_view name;
  std::string_view servers;  // TOML; % stands for the service
  std::string_view bounds;
};
constexpr Topology one_server{"1 server", "", "attempts = 6\nfailed_attempts = 2\nretry = \"T/4\"\n"};
constexpr Topology master_and_replica{"a master and its replica",
                                      "[servers]\n% = 2\n\n[[server]]\nname = \"%-2\"\nreplica_of = \"%-1\"\n",
                                      "attempts = 5\nfailed_attempts = 2\nretry = \"T/2\"\n"};
constexpr Topology three_servers{"3 servers", "[servers]\n% = 3\n",
                                 "attempts = 5\nfailed_attempts = 2\nretry = \"T/2\"\n"};

/// Those that the service can have.
std::vector<const char*> entries_of(const Algorithm& algorithm, std::span<const char* const> all) {
  std::vector<const char*> some;
  for (const char* const entry : all) {
    const std::string_view kind = std::string_view(entry).substr(std::string_view("kind = \"").size());
    const auto row =
        std::ranges::find(harness::fault_table(), kind.substr(0, kind.find('"')), &harness::FaultRow::name);
    if (harness::can_have(harness::row_of(algorithm.service), row->kind)) some.push_back(entry);
  }
  return some;
}

std::string servers_of(const Algorithm& algorithm, const Topology& topology) {
  std::string text;
  for (const char c : topology.servers)
    text += c == '%' ? std::string(harness::row_of(algorithm.service).name) : std::string(1, c);
  return text;
}

FrontierSearch search_of(const Algorithm& algorithm, const Topology& topology, std::span<const char* const> all_entries,
                         std::optional<int> max_faults, const std::string& out) {
  const std::vector<const char*> entries = entries_of(algorithm, all_entries);
  FrontierSearch search;
  search.subject = algorithm.name;
  search.topology = topology.name;
  search.entries.assign(entries.begin(), entries.end());
  const bool draws =
      algorithm.name == "fenced-token" || algorithm.name.ends_with("-fenced") || algorithm.name == "chubby-sequencer";
  const std::string_view fenced = draws ? "\n[resource]\nfencing = \"all\"\n" : "";
  // Where no state of a server comes back there are too many to search with asks at every instant.
  const bool as_written = harness::row_of(algorithm.service).counts_all;
  const std::string_view asks = as_written ? "contention = \"as-written\"\n" : "";
  search.head = fmt::format(
      "title = \"{0} on {1}, two clients, one round each\"\n\n{5}\n[workload]\nclients = 2\n"
      "lease = \"10s\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n\n{2}{3}\n[explore]\n{4}{6}",
      algorithm.name, topology.name, servers_of(algorithm, topology), fenced, topology.bounds,
      harness::algorithm_table(algorithm, out), asks);
  sim::FaultSet all;
  for (std::size_t i = 0; i < entries.size(); ++i) all.push_back(i);
  const std::string name =
      algorithm.file.empty() || out.empty() ? std::string(algorithm.name) : fmt::format("{}/{}", out, algorithm.name);
  search.scenario = harness::parse_scenario(name, with_entries(search, max_faults.value_or(1), all));
  search.bounds = search.scenario.explore.value();
  search.deepens = !max_faults;
  return search;
}

}  // namespace

std::vector<FrontierSearch> frontier_searches(const Algorithm& algorithm, std::optional<int> max_faults,
                                              const std::string& out) {
  std::vector<FrontierSearch> searches;
  if (algorithm.servers == Servers::all) {
    searches.push_back(search_of(algorithm, three_servers, anywhere, max_faults, out));
  } else if (algorithm.servers == Servers::one_with_replica) {
    std::vector<const char*> all(std::begin(anywhere), std::end(anywhere));
    all.insert(all.end(), std::begin(between_servers), std::end(between_servers));
    searches.push_back(search_of(algorithm, master_and_replica, all, max_faults, out));
  } else {
    searches.push_back(search_of(algorithm, one_server, anywhere, max_faults, out));
    if (!harness::row_of(algorithm.service).replicates) return searches;
    searches.push_back(search_of(algorithm, master_and_replica, between_servers, max_faults, out));
  }
  return searches;
}

std::string with_entries(const FrontierSearch& search, int max_faults, const sim::FaultSet& entries) {
  std::string text = search.head + fmt::format("max_faults = {}\n", max_faults);
  for (const std::size_t entry : entries) text += "\n[[explore.fault]]\n" + search.entries[entry];
  return text;
}

}  // namespace lockproof::cli
