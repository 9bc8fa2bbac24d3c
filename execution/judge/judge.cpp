// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "execution/judge/incident_history.hpp"
#include "execution/judge/incident_scenario.hpp"
#include "execution/judge/nearest_lock.hpp"
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

/// The kind depends on whether the earlier one's lease had ended, and so on when the later one entered. It is known if
/// that was over when the server gave the lock to the later one, or was good when that had certainly entered.
std::string known_kind(const Finding& finding, const harness::History& history, const Incident& incident) {
  if (finding.events.size() != 2 || finding.kind.empty()) return finding.kind;
  const harness::Event& first = history.events[finding.events[0]];
  const harness::Event& second = history.events[finding.events[1]];
  const Hold *earlier = nullptr, *later = nullptr;
  for (const Hold& hold : incident.lock.holds) {
    const auto client = static_cast<harness::HostIndex>(incident.client_of(hold.connection));
    if (client == first.host && world_time(incident, hold.from_us) <= first.at) earlier = &hold;
    if (client == second.host && world_time(incident, hold.from_us) <= second.at) later = &hold;
  }
  if (!earlier || !later) return "";
  if (finding.kind == "outlived" && earlier->lease_end_us > later->from_us) return "";
  return finding.kind;
}

std::vector<harness::JudgedProperty> compared(const harness::History& certain, const harness::History& possible,
                                              const harness::Scenario& scenario, const Incident& incident) {
  const std::vector<Finding> proved = findings_in(certain, scenario), allowed = findings_in(possible, scenario);
  std::vector<harness::JudgedProperty> properties;
  for (std::size_t i = 0; i < proved.size(); ++i) {
    harness::JudgedProperty one{.name = proved[i].property};
    if (proved[i].verdict == Verdict::violated) {
      one = {one.name, Certainty::certain, known_kind(proved[i], certain, incident), proved[i].what};
    } else if (allowed[i].verdict == Verdict::violated) {
      one = {one.name, Certainty::possible, known_kind(allowed[i], possible, incident), allowed[i].what};
    }
    properties.push_back(std::move(one));
  }
  return properties;
}

std::string time_of_day(std::int64_t us) {
  using namespace std::chrono;
  const sys_time<microseconds> at{microseconds(us)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss<microseconds> time(at - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count() / 1000);
}

void add_clients(const Incident& incident, JudgedReport& report) {
  for (const IncidentClient& client : incident.clients) {
    harness::JudgedClient told{.name = client.name,
                               .connection = incident.log.connections[static_cast<std::size_t>(client.connection)]};
    if (client.worker) {
      const TimeRange& ahead = incident.attributions[*client.worker].ahead_us;
      told.worker = incident.workers[*client.worker].name;
      told.ahead = {Duration(ahead.least), Duration(ahead.most)};
    }
    told.grants =
        static_cast<std::size_t>(std::ranges::count(incident.lock.holds, client.connection, &Hold::connection));
    report.clients.push_back(std::move(told));
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
    add(fmt::format("Which connection is {}'s cannot be told: {}.", incident.workers[i].name,
                    incident.attributions[i].why),
        fmt::format("worker {}: its connection cannot be told", i + 1));
  }
  for (const std::size_t i : incident.lock.executions) {
    const ServerExecution& one = incident.log.executions[i];
    if (one.lacks.empty()) continue;
    add(fmt::format("Line {} of MONITOR {}; what it did to the lock is not known.", one.line, one.lacks),
        fmt::format("line {}: {}", one.line, one.lacks));
    break;
  }
  const auto unsure = std::ranges::find(incident.lock.holds, false, &Hold::sure);
  if (unsure != incident.lock.holds.end()) {
    const ServerExecution& one = incident.log.executions[unsure->taken];
    const std::string text = fmt::format(
        "Line {} of MONITOR rests on what was before the log, or came within 2 ms of a lease's end: that it got the "
        "lock "
        "is only likely.",
        one.line);
    add(text, text);
  }
}

void add_gaps(const Incident& incident, JudgedReport& report) {
  for (const Gap& gap : incident.gaps) {
    harness::JudgedGap told{.client = incident.clients[gap.client].name,
                            .from = world_time(incident, gap.from_us),
                            .lease_end = world_time(incident, gap.lease_end_us),
                            .silent = gap.silent};
    if (gap.to_us) told.to = world_time(incident, *gap.to_us);
    report.gaps.push_back(std::move(told));
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

/// Runs the scenario. It is a reproduction only if it shows what the logs show.
harness::Reproduction reproduced(const std::string& text, const Algorithm& lock, const JudgedReport& report) {
  const harness::Scenario scenario = harness::parse_scenario("incident.toml", text);
  const harness::History history = sim::run(scenario, scenario.seed);
  harness::Reproduction reproduction{.lock = std::string(lock.name)};
  for (const Finding& finding : findings_in(history, scenario)) {
    for (const harness::JudgedProperty& one : report.properties) {
      const bool same = finding.property == one.name && one.violated != Certainty::none &&
                        finding.verdict == Verdict::violated && (one.kind.empty() || finding.kind == one.kind);
      if (!same) continue;
      reproduction.shows_it = true;
      reproduction.what = finding.what;
    }
  }
  return reproduction;
}

JudgedReport told(const Incident& incident, const JudgeOrder& order) {
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

Judged judge_logs(const JudgeOrder& order) {
  const Incident incident = read_incident(order);
  Judged judged{.report = told(incident, order), .history = {}, .scenario = {}};
  JudgedReport& report = judged.report;
  const NearestLock nearest = nearest_lock(incident);
  for (const Algorithm* const lock : nearest.locks) report.nearest.emplace_back(lock->name);
  report.shared = nearest.shared;
  report.sorts = nearest.all;
  const Algorithm& lock = nearest.locks.empty() ? *find_algorithm("set-px-token") : *nearest.locks.front();
  const std::string text = scenario_of(incident, lock);
  const harness::Scenario scenario = harness::parse_scenario("incident.toml", text);
  const harness::History certain = history_of(incident, Evidence::certain, text);
  harness::History possible = history_of(incident, Evidence::possible, text);
  report.properties = compared(certain, possible, scenario, incident);
  const bool only_possible = report.worst() == Certainty::possible;
  judged.history = only_possible ? std::move(possible) : certain;
  if (const auto cause = cause_of(incident, judged.history, scenario); cause && nearest.is_close()) {
    judged.scenario = scenario_of(incident, lock, *cause->first, cause->second);
    report.reproduction = reproduced(judged.scenario, lock, report);
  }
  return judged;
}

}  // namespace lockproof::execution
