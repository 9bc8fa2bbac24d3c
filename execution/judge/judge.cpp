// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "execution/judge/incident_history.hpp"
#include "execution/judge/incident_scenario.hpp"
#include "execution/judge/lines/settled_lines.hpp"
#include "execution/judge/nearest_lock.hpp"
#include "execution/judge/time_of_day.hpp"
#include "execution/judge/worker_stays.hpp"
#include "harness/check/properties.hpp"
#include "harness/scenario/file/parse.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using check::Finding;
using check::Verdict;
using harness::Certainty;
using harness::JudgedReport;

/// What logs can tell; the others need the client's own word, or the resource's.
constexpr std::array<std::string_view, 3> judged_properties{"mutual-exclusion", "owner-release", "renewal-rate"};

std::vector<Finding> findings_in(const harness::History& history, const harness::Scenario& scenario) {
  std::vector<check::Property> asked;
  for (const check::Property& one : check::properties()) {
    if (std::ranges::find(judged_properties, one.name) != judged_properties.end()) asked.push_back(one);
  }
  return check::judge(history, scenario, asked);
}

/// The clients of a finding, by the hosts of its events.
std::vector<harness::HostIndex> hosts_of(const Finding& finding, const harness::History& history) {
  std::vector<harness::HostIndex> hosts;
  for (const std::size_t i : finding.events) hosts.push_back(history.events[i].host);
  return hosts;
}

/// The hold by which a client is inside at that instant; null: of none.
const Hold* hold_at(const Incident& incident, const harness::Event& event) {
  const Hold* found = nullptr;
  for (const Hold& hold : incident.lock.holds) {
    const auto client = static_cast<harness::HostIndex>(incident.client_of(hold.connection));
    if (client == event.host && world_time(incident, hold.from_us) <= event.at) found = &hold;
  }
  return found;
}

/// A checker says what a client believed. Logs tell only what its lease was on the server.
std::string sentence_of(const Finding& finding, const harness::History& history, const Incident& incident) {
  if (finding.property != "mutual-exclusion" || finding.events.size() != 2) return finding.what;
  const harness::Event& first = history.events[finding.events[0]];
  const harness::Event& second = history.events[finding.events[1]];
  const Hold *const earlier = hold_at(incident, first), *const later = hold_at(incident, second);
  std::string text = fmt::format("{} entered while {} was inside (since {})", check::place(history, second),
                                 history.host_name(first.host), check::seconds_text(first.at));
  if (!earlier || !later) return text;
  if (earlier->lease_end_us <= later->from_us) {
    text += fmt::format(", whose lease had ended on the server at {}",
                        check::seconds_text(world_time(incident, earlier->lease_end_us)));
  } else if (earlier->removed_by && incident.log.executions[*earlier->removed_by].at_us <= later->from_us) {
    text += ", whose key another connection had removed";
  } else if (earlier->released && incident.log.executions[*earlier->released].at_us <= later->from_us) {
    text += ", which had given the lock back";
  }
  return text;
}

std::vector<harness::JudgedProperty> compared(const harness::History& certain, const harness::History& possible,
                                              const harness::Scenario& scenario, const Incident& incident) {
  const std::vector<Finding> proved = findings_in(certain, scenario), allowed = findings_in(possible, scenario);
  std::vector<harness::JudgedProperty> properties;
  for (std::size_t i = 0; i < proved.size(); ++i) {
    harness::JudgedProperty one{.name = proved[i].property};
    if (proved[i].verdict == Verdict::violated) {
      one = {one.name, Certainty::certain, sentence_of(proved[i], certain, incident)};
    } else if (allowed[i].verdict == Verdict::violated) {
      one = {one.name, Certainty::possible, sentence_of(allowed[i], possible, incident)};
    }
    properties.push_back(std::move(one));
  }
  return properties;
}

void add_clients(const Incident& incident, JudgedReport& report) {
  for (const IncidentClient& client : incident.clients) {
    harness::JudgedClient entry{.name = client.name,
                                .connection = incident.log.connections[static_cast<std::size_t>(client.connection)]};
    if (client.worker) {
      const TimeRange& ahead = incident.attributions[*client.worker].ahead_us;
      entry.worker = incident.workers[*client.worker].name;
      entry.ahead = {Duration(ahead.least), Duration(ahead.most)};
    }
    entry.grants =
        static_cast<std::size_t>(std::ranges::count(incident.lock.holds, client.connection, &Hold::connection));
    report.clients.push_back(std::move(entry));
  }
}

void add_remarks(const Incident& incident, JudgedReport& report) {
  const auto add = [&](std::string named, std::string anonymous) {
    report.remarks.push_back(std::move(named));
    report.anonymous_remarks.push_back(std::move(anonymous));
  };
  if (incident.workers.empty()) {
    add("No worker's log is here, so nothing tells who was inside: whatever is violated is only possible.",
        "no worker's log");
  }
  for (std::size_t i = 0; i < incident.workers.size(); ++i) {
    if (incident.attributions[i].connection) continue;
    report.has_doubts = true;
    add(fmt::format("Which connection is {}'s cannot be told: {}.", incident.workers[i].name,
                    incident.attributions[i].why),
        fmt::format("worker {}: its connection cannot be told", i + 1));
  }
  for (const std::size_t i : incident.lock.executions) {
    const ServerExecution& one = incident.log.executions[i];
    if (one.lacks.empty()) continue;
    report.has_doubts = true;
    add(fmt::format("Line {} of the server's log {}; what it did to the lock is not known.", one.line, one.lacks),
        fmt::format("line {}: {}", one.line, one.lacks));
    break;
  }
  for (std::size_t i = 0; i < incident.lock.holds.size(); ++i) {
    if (incident.lock.holds[i].sure || incident.stays[i].has_entry) continue;
    const ServerExecution& one = incident.log.executions[incident.lock.holds[i].taken];
    const std::string text = fmt::format(
        "Line {} of the server's log rests on what was before the log, or came within 2 ms of a lease's end: that it "
        "got the "
        "lock "
        "is only likely.",
        one.line);
    add(text, text);
    break;
  }
}

void add_gaps(const Incident& incident, JudgedReport& report) {
  for (const Gap& gap : incident.gaps) {
    harness::JudgedGap entry{.client = incident.clients[gap.client].name,
                             .from = world_time(incident, gap.from_us),
                             .lease_end = world_time(incident, gap.lease_end_us),
                             .silent = gap.silent};
    if (gap.to_us) entry.to = world_time(incident, *gap.to_us);
    report.gaps.push_back(std::move(entry));
  }
}

/// The gap of the earlier holder in a violation of mutual exclusion, and the hold of the later one.
std::optional<std::pair<const Gap*, std::size_t>> cause_of(const Incident& incident, const harness::History& history,
                                                           const harness::Scenario& scenario) {
  for (const Finding& finding : findings_in(history, scenario)) {
    if (finding.verdict != Verdict::violated || finding.property != "mutual-exclusion") continue;
    const std::vector<harness::HostIndex> hosts = hosts_of(finding, history);
    if (hosts.size() != 2) continue;
    const Duration entered = history.events[finding.events[1]].at;
    const Gap* cause = nullptr;
    std::optional<std::size_t> rival;
    for (const Gap& gap : incident.gaps) {
      if (gap.silent && static_cast<harness::HostIndex>(gap.client) == hosts[0] &&
          world_time(incident, gap.from_us) <= entered)
        cause = &gap;
    }
    for (std::size_t i = 0; i < incident.lock.holds.size(); ++i) {
      const Hold& hold = incident.lock.holds[i];
      const bool its = static_cast<harness::HostIndex>(incident.client_of(hold.connection)) == hosts[1];
      if (its && world_time(incident, hold.from_us) <= entered) rival = i;
    }
    if (cause && rival) return std::pair{cause, *rival};
  }
  return std::nullopt;
}

/// Runs the scenario. It is a reproduction only if it shows what the logs show; then it says so itself.
harness::Reproduction reproduced(std::string& text, const Algorithm& lock, const GapGuess& guess,
                                 const JudgedReport& report) {
  const harness::Scenario scenario = harness::parse_scenario("incident.toml", text);
  const harness::History history = sim::run(scenario, scenario.seed);
  harness::Reproduction reproduction{.lock = std::string(lock.name), .cause = std::string(name(guess.cause))};
  std::string expected = "\n[expect.run]\n";
  for (const Finding& finding : check::judge(history, scenario)) {
    if (finding.verdict != Verdict::violated) continue;
    expected += fmt::format("{} = \"{}\"\n", finding.property, finding.kind.empty() ? "violated" : finding.kind);
    const auto known = std::ranges::find(report.properties, finding.property, &harness::JudgedProperty::name);
    if (known == report.properties.end() || known->violated == Certainty::none) continue;
    reproduction.shows_it = true;
    if (reproduction.what.empty()) reproduction.what = finding.what;
  }
  if (!reproduction.shows_it) return reproduction;
  text += expected;
  if (!scenario.faults.empty()) text += "\n[twin]\nwithout = \"faults\"\n";
  return reproduction;
}

/// Tries what the log leaves open, one after the other, up to the first that shows what the logs show; else keeps the
/// first of them.
void reproduce(const Incident& incident, const Algorithm& lock, const Gap& gap, std::size_t rival, Judgement& judged) {
  for (const bool renews : {true, false}) {
    for (const GapCause cause : gap_causes) {
      const GapGuess guess{cause, renews};
      std::string text = scenario_of(incident, lock, gap, rival, guess);
      harness::Reproduction made = reproduced(text, lock, guess, judged.report);
      const bool is_better = made.shows_it || !judged.report.reproduction;
      if (!is_better) continue;
      judged.scenario = std::move(text);
      judged.report.reproduction = std::move(made);
      if (judged.report.reproduction->shows_it) return;
    }
  }
}

/// What a page says of the history.
harness::RunReport verdicts_of(const harness::History& history, const harness::Scenario& scenario, bool is_certain) {
  harness::RunReport verdicts;
  verdicts.describe(scenario);
  verdicts.world = "logs";
  verdicts.events = history.events.size();
  for (Finding& finding : findings_in(history, scenario)) {
    if (finding.verdict == Verdict::violated && !is_certain) {
      finding.verdict = Verdict::unknown;
      finding.what = "possibly, " + finding.what;
    }
    verdicts.properties.push_back({std::move(finding), "", check::Agreement::yes});
  }
  return verdicts;
}

JudgedReport report_of(const Incident& incident, const JudgeOrder& order) {
  JudgedReport report{.key = incident.lock.key,
                      .begin = time_of_day(incident.log.begin_us),
                      .length = Duration(incident.log.end_us - incident.log.begin_us),
                      .commands = incident.lock.executions.size(),
                      .grants = incident.lock.holds.size(),
                      .clocks = order.clocks};
  if (!incident.lock.holds.empty() && incident.lock.holds.front().lease_us > 0) {
    report.lease = Duration(incident.lock.holds.front().lease_us);
  }
  if (const std::int64_t usual = incident.usual_work_us(); usual > 0) report.usual_work = Duration(usual);
  add_clients(incident, report);
  add_remarks(incident, report);
  add_gaps(incident, report);
  return report;
}

}  // namespace

Judgement judge_logs(const JudgeOrder& order) {
  IncidentLogs logs = read_logs(order.files, order.patterns);
  if (logs.server_path.empty()) {
    settle_locks(logs.workers, order.patterns, order.key);
    return {.report = judge_workers(logs.workers, order.clocks), .history = {}, .scenario = {}, .verdicts = {}};
  }
  const Incident incident = incident_of(std::move(logs), order);
  Judgement judged{.report = report_of(incident, order), .history = {}, .scenario = {}, .verdicts = {}};
  JudgedReport& report = judged.report;
  const NearestLock nearest = nearest_lock(incident);
  for (const Algorithm* const lock : nearest.locks) report.nearest.emplace_back(lock->name);
  report.shared = nearest.shared;
  report.sorts = nearest.all;
  const Algorithm& lock =
      nearest.locks.empty()
          ? *find_algorithm(incident.log.service == Service::postgres ? "postgres-advisory" : "set-px-token")
          : *nearest.locks.front();
  const std::string text = scenario_of(incident, lock);
  const harness::Scenario scenario = harness::parse_scenario("incident.toml", text);
  const harness::History certain = history_of(incident, Evidence::certain, text);
  harness::History possible = history_of(incident, Evidence::possible, text);
  report.properties = compared(certain, possible, scenario, incident);
  const bool only_possible = report.worst() == Certainty::possible;
  judged.history = only_possible ? std::move(possible) : certain;
  judged.verdicts = verdicts_of(judged.history, scenario, !only_possible);
  if (const auto cause = cause_of(incident, judged.history, scenario); cause && nearest.is_close()) {
    reproduce(incident, lock, *cause->first, cause->second, judged);
  }
  return judged;
}

}  // namespace lockproof::execution
