// SPDX-License-Identifier: Apache-2.0
#include "execution/frontier/frontier_questions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/expiry.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::execution {
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
    "kind = \"clock-rate\"\ntarget = \"clients\"\nrate = [\"+1%\", \"-1%\", \"+4%\", \"-4%\"]\n",
    "kind = \"clock-rate\"\ntarget = \"servers\"\nrate = [\"+1%\", \"-1%\", \"+4%\", \"-4%\"]\n",
    "kind = \"restart\"\nfor = [\"4ms\", \"T/4\", \"T\"]\n",
    "kind = \"power-cut\"\nfor = [\"4ms\", \"T/4\", \"T\"]\n",
    "kind = \"evict\"\n",
    "kind = \"flush\"\n",
    "kind = \"pool-switch\"\n",
};
// What may happen to one of several who wait: those that begin so.
constexpr std::string_view in_line[] = {"kind = \"pause\"\ntarget = \"clients\"", "kind = \"crash\"",
                                        "kind = \"kill-task\"", "kind = \"half-open\"", "kind = \"break-connection\""};
constexpr const char* between_servers[] = {
    "kind = \"failover\"\n",
    "kind = \"replication-stall\"\nfor = [\"T/2\", \"T\", \"T+grid\"]\n",
};

struct Topology {
  std::string_view name;
  std::string_view servers;  // TOML; % stands for the service
  int attempts;              // of who asks as the scenario says
  std::string_view retry;    // … and how long after each other
};
constexpr Topology one_server{"1 server", "", 6, "T/4"};
constexpr Topology master_and_replica{
    "a master and its replica", "[servers]\n% = 2\n\n[[server]]\nname = \"%-2\"\nreplica_of = \"%-1\"\n", 5, "T/2"};
constexpr Topology three_servers{"3 servers", "[servers]\n% = 3\n", 5, "T/2"};

/// What the clients do. A lock is searched with work that a lease just covers; one that is renewed also with work of
/// several leases; where clients stand in line, also with three of them and fewer kinds of faults.
struct Workload {
  std::string_view name;
  std::optional<Duration> lease;  // nothing: a watchdog renews only what was acquired without one
  Duration work;
  int clients = 2;
};

/// Whoever comes third waits for the second, and not for the holder.
bool stands_in_line(const Algorithm& algorithm) {
  return algorithm.name.starts_with("zookeeper-queue") || algorithm.name.starts_with("etcd-mutex");
}

std::vector<Workload> workloads_of(const Algorithm& algorithm) {
  constexpr Duration lease = seconds(10);
  const Duration at_least = harness::row_of(algorithm.service).ticks ? lease - seconds(1) : lease;  // a tick sooner
  std::vector<Workload> all{{"", lease, at_least * 97 / 100}};
  if (stands_in_line(algorithm)) all.push_back({", three in line", lease, at_least * 97 / 100, 3});
  if (expiry_of(algorithm) != Expiry::renewed) return all;
  const bool watched = std::ranges::any_of(
      algorithm.parameters, [](const Parameter& parameter) { return parameter.name == "watchdog_timeout"; });
  const Duration renewed = watched ? Duration(algorithm.lease) : lease;
  all.push_back({", work of 2.5 leases", watched ? std::nullopt : std::optional(lease), renewed * 5 / 2});
  return all;
}

/// Those that the service can have. Work that is longer than a lease leaves no slack.
std::vector<std::string> entries_of(const Algorithm& algorithm, const Workload& workload,
                                    std::span<const char* const> all) {
  constexpr std::string_view about_slack = "\"slack+grid\", ";
  const bool has_slack = workload.lease && workload.work < *workload.lease;
  std::vector<std::string> some;
  for (std::string entry : all) {
    const std::string_view kind = std::string_view(entry).substr(std::string_view("kind = \"").size());
    const auto row =
        std::ranges::find(harness::fault_table(), kind.substr(0, kind.find('"')), &harness::FaultRow::name);
    if (!harness::can_have(harness::row_of(algorithm.service), row->kind)) continue;
    const auto begins = [&](std::string_view one) { return entry.starts_with(one); };
    if (workload.clients > 2 && std::ranges::none_of(in_line, begins)) continue;
    const std::size_t slack = entry.find(about_slack);
    if (!has_slack && slack != std::string::npos) entry.erase(slack, about_slack.size());
    some.push_back(std::move(entry));
  }
  return some;
}

std::string servers_of(const Algorithm& algorithm, const Topology& topology) {
  std::string text;
  for (const char c : topology.servers)
    text += c == '%' ? std::string(harness::row_of(algorithm.service).name) : std::string(1, c);
  return text;
}

/// Where no state of a server comes back there are too many to search with asks at every instant.
std::string_view asking_of(const Algorithm& algorithm) {
  return harness::row_of(algorithm.service).counts_all ? "contention = \"as-written\"\n" : "";
}

FrontierQuestion question_of(const Algorithm& algorithm, const Topology& topology, const Workload& workload,
                             std::span<const char* const> all_entries, std::optional<int> max_faults,
                             const std::string& out) {
  FrontierQuestion question;
  question.subject = algorithm.name;
  question.topology = fmt::format("{}{}", topology.name, workload.name);
  question.entries = entries_of(algorithm, workload, all_entries);
  const bool draws =
      algorithm.name == "fenced-token" || algorithm.name.ends_with("-fenced") || algorithm.name == "chubby-sequencer";
  const std::string_view fenced = draws ? "\n[resource]\nfencing = \"all\"\n" : "";
  const std::string_view asks = asking_of(algorithm);
  const std::string lease = workload.lease ? fmt::format("lease = \"{}\"\n", harness::to_text(*workload.lease)) : "";
  question.head = fmt::format(
      "title = \"{0} on {1}, {2} clients, one round each\"\n\n{3}\n[workload]\nclients = {2}\n{4}"
      "work = [\"read\", \"hold {5}\", \"write\"]\n\n{6}{7}\n[explore]\nattempts = {8}\nfailed_attempts = 2\n"
      "retry = \"{9}\"\n{10}",
      algorithm.name, question.topology, workload.clients, harness::algorithm_table(algorithm, out), lease,
      harness::to_text(workload.work), servers_of(algorithm, topology), fenced, topology.attempts,
      workload.name.empty() ? topology.retry : "T/2", asks);
  sim::FaultSet all;
  for (std::size_t i = 0; i < question.entries.size(); ++i) all.push_back(i);
  const std::string name =
      algorithm.file.empty() || out.empty() ? std::string(algorithm.name) : fmt::format("{}/{}", out, algorithm.name);
  question.scenario = harness::parse_scenario(name, with_entries(question, max_faults.value_or(1), all));
  question.bounds = question.scenario.explore.value();
  question.labels = harness::entry_labels(question.scenario, question.bounds.budget);
  question.deepens = !max_faults;
  return question;
}

}  // namespace

std::vector<FrontierQuestion> frontier_questions(const Algorithm& algorithm, std::optional<int> max_faults,
                                                 const std::string& out) {
  std::vector<FrontierQuestion> questions;
  const auto add = [&](const Topology& topology, std::span<const char* const> entries) {
    for (const Workload& workload : workloads_of(algorithm)) {
      questions.push_back(question_of(algorithm, topology, workload, entries, max_faults, out));
    }
  };
  if (algorithm.servers == Servers::all) {
    add(three_servers, anywhere);
  } else if (algorithm.servers == Servers::one_with_replica) {
    std::vector<const char*> all(std::begin(anywhere), std::end(anywhere));
    all.insert(all.end(), std::begin(between_servers), std::end(between_servers));
    add(master_and_replica, all);
  } else {
    add(one_server, anywhere);
    if (harness::row_of(algorithm.service).replicates) add(master_and_replica, between_servers);
  }
  return questions;
}

harness::Bounds usual_bounds(const harness::Scenario& scenario) {
  std::string text = fmt::format("[explore]\n{}", asking_of(*scenario.algorithm));
  const auto add = [&](std::span<const char* const> entries) {
    for (const std::string_view entry : entries) text += fmt::format("\n[[explore.fault]]\n{}", entry);
  };
  add(anywhere);
  const auto is_replica = [](const harness::ServerSpec& server) { return !server.replica_of.empty(); };
  if (std::ranges::any_of(scenario.servers, is_replica)) add(between_servers);
  return harness::parse_budget("the usual faults", text, scenario);
}

std::string with_entries(const FrontierQuestion& question, int max_faults, const sim::FaultSet& entries) {
  std::string text = question.head + fmt::format("max_faults = {}\n", max_faults);
  for (const std::size_t entry : entries) text += "\n[[explore.fault]]\n" + question.entries[entry];
  return text;
}

FrontierQuestion frontier_question(const std::string& file, harness::Scenario scenario, const harness::Bounds& bounds) {
  FrontierQuestion question;
  question.subject = file;
  question.topology = harness::plural(scenario.servers.size(), "server");
  question.scenario = std::move(scenario);
  question.bounds = bounds;
  question.labels = harness::entry_labels(question.scenario, bounds.budget);
  return question;
}

void choose_entries(FrontierQuestion& question, const std::vector<std::size_t>& numbers) {
  std::vector<harness::BudgetedFault> budget;
  std::vector<std::string> entries;
  harness::Labels labels;
  for (const std::size_t number : numbers) {
    const std::size_t count = question.bounds.budget.size();
    if (number < 1 || number > count) {
      throw harness::InputError("--entries", 0, fmt::format("there is no entry {}; the budget has {}", number, count));
    }
    budget.push_back(question.bounds.budget[number - 1]);
    labels.push_back(question.labels[number - 1]);
    if (!question.entries.empty()) entries.push_back(question.entries[number - 1]);
  }
  question.bounds.budget = std::move(budget);
  question.entries = std::move(entries);
  question.labels = std::move(labels);
}

harness::Labels assumptions_of(const FrontierQuestion& question) {
  return harness::assumptions_of(sim::bounded(question.scenario, question.bounds, true), question.bounds);
}

}  // namespace lockproof::execution
