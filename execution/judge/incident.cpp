// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/incident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "execution/judge/lines/settled_lines.hpp"
#include "execution/judge/postgres_log.hpp"

namespace lockproof::execution {
namespace {

constexpr std::int64_t fine_us = 100'000;  // a clock known better than this tells when a line was written

/// The lines of one hold, of one worker's log.
using LinesOfHolds = std::map<std::size_t, std::vector<std::size_t>>;

std::vector<LinesOfHolds> lines_of_holds(const std::vector<Attribution>& attributions) {
  std::vector<LinesOfHolds> all;
  for (const Attribution& of : attributions) {
    LinesOfHolds& lines = all.emplace_back();
    for (std::size_t i = 0; i < of.holds.size(); ++i) {
      if (of.holds[i]) lines[*of.holds[i]].push_back(i);
    }
  }
  return all;
}

Stay stay_of(const Incident& incident, std::size_t hold, const std::vector<LinesOfHolds>& lines_of) {
  const Hold& held = incident.lock.holds[hold];
  Stay stay{.possible = {held.from_us, held.last_us(incident.log)}};
  const auto worker = incident.clients[incident.client_of(held.connection)].worker;
  if (!worker) return stay;
  const Attribution& of = incident.attributions[*worker];
  const std::vector<WorkerLine>& lines = incident.workers[*worker].lines;
  std::optional<std::int64_t> last_end;
  const auto own = lines_of[*worker].find(hold);
  if (own == lines_of[*worker].end()) return stay;
  for (const std::size_t i : own->second) {
    const std::int64_t earliest = lines[i].at_us - of.ahead_us.most;
    const std::int64_t latest = lines[i].at_us + lines[i].precision_us - of.ahead_us.least;
    if (lines[i].kind == LineKind::enters) {
      stay.certain.least = latest;
      stay.has_entry = true;
    } else {
      if (lines[i].kind == LineKind::leaves && stay.has_entry) {
        if (stay.certain.most == INT64_MIN) stay.certain.most = earliest;
      }
      last_end = std::max(last_end.value_or(latest), latest);
    }
  }
  if (last_end) stay.possible.most = std::max(held.from_us, std::min(stay.possible.most, *last_end));
  stay.certain.most = std::min(stay.certain.most, stay.possible.most);
  return stay;
}

std::vector<IncidentClient> clients_of(const Incident& incident) {
  std::vector<IncidentClient> clients;
  for (const std::size_t i : incident.lock.executions) {
    const int connection = incident.log.executions[i].connection;
    if (std::ranges::find(clients, connection, &IncidentClient::connection) != clients.end()) continue;
    clients.push_back({fmt::format("client-{}", clients.size() + 1), connection});
    for (std::size_t w = 0; w < incident.workers.size(); ++w) {
      if (incident.attributions[w].connection == connection) clients.back().worker = w;
    }
  }
  return clients;
}

/// When a client was heard of, in order.
std::vector<std::int64_t> signs_of(const Incident& incident, const IncidentClient& client) {
  std::vector<std::int64_t> signs;
  for (const ServerExecution& one : incident.log.executions) {
    if (one.connection == client.connection) signs.push_back(one.at_us);
  }
  if (client.worker) {
    const TimeRange& ahead = incident.attributions[*client.worker].ahead_us;
    for (const WorkerLine& line : incident.workers[*client.worker].lines) {
      if (ahead.most - ahead.least <= fine_us) signs.push_back(line.at_us - (ahead.least + ahead.most) / 2);
    }
  }
  std::ranges::sort(signs);
  return signs;
}

std::optional<Gap> gap_of(const Incident& incident, std::size_t hold) {
  const Hold& held = incident.lock.holds[hold];
  const Stay& stay = incident.stays[hold];
  const std::int64_t end = held.lease_end_us;
  if (held.last_us(incident.log) <= end || incident.log.end_us <= end) return std::nullopt;
  if (held.removed_by && incident.log.executions[*held.removed_by].at_us <= end) return std::nullopt;
  if (stay.has_entry && stay.possible.most <= end) return std::nullopt;  // it left in time, and released later
  Gap gap{.client = incident.client_of(held.connection), .hold = hold, .from_us = held.from_us, .lease_end_us = end};
  for (const std::int64_t sign : signs_of(incident, incident.clients[gap.client])) {
    if (sign <= held.from_us) continue;
    if (sign <= end) gap.from_us = sign;
    if (sign > end && !gap.to_us) gap.to_us = sign;
  }
  const std::int64_t to = gap.to_us.value_or(incident.log.end_us);
  gap.silent = to - gap.from_us > held.lease_us / 2;
  return gap;
}

/// Statements have no results in a log: what contradicts them makes all of them doubtful. Empty: nothing does.
std::string doubt_of_statements(const Incident& incident) {
  if (incident.log.service != Service::postgres) return "";
  if (!incident.log.lacks.empty()) return incident.log.lacks;
  for (const std::size_t i : incident.lock.executions) {
    const ServerExecution& one = incident.log.executions[i];
    if (!one.lacks.empty()) return fmt::format("line {} of the server's log {}", one.line, one.lacks);
  }
  return "";
}

}  // namespace

std::size_t Incident::client_of(int connection) const {
  return static_cast<std::size_t>(std::ranges::find(clients, connection, &IncidentClient::connection) -
                                  clients.begin());
}

std::int64_t Incident::usual_work_us() const {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < lock.holds.size(); ++i) {
    if (std::ranges::find(gaps, i, &Gap::hold) != gaps.end()) continue;
    if (lock.holds[i].released) lengths.push_back(lock.holds[i].last_us(log) - lock.holds[i].from_us);
  }
  if (lengths.empty()) return 0;
  std::ranges::sort(lengths);
  return lengths[lengths.size() / 2];
}

Incident incident_of(IncidentLogs logs, const JudgeOrder& order) {
  Incident incident{.log = logs.postgres.empty() ? replay_log(logs.monitor) : replay_postgres(logs.postgres),
                    .lock = {},
                    .workers = std::move(logs.workers)};
  incident.lock = lock_of(incident.log, order.key, logs.server_path);
  settle_key(incident.workers, order.patterns, incident.lock.key, incident.lock.others);
  if (const std::string doubt = doubt_of_statements(incident); !doubt.empty()) add_doubt(incident.workers, doubt);
  incident.attributions = attribute(incident.log, incident.lock, incident.workers, order.clocks);
  incident.clients = clients_of(incident);
  const std::vector<LinesOfHolds> lines = lines_of_holds(incident.attributions);
  for (std::size_t i = 0; i < incident.lock.holds.size(); ++i) incident.stays.push_back(stay_of(incident, i, lines));
  for (std::size_t i = 0; i < incident.lock.holds.size(); ++i) {
    if (const auto gap = gap_of(incident, i)) incident.gaps.push_back(*gap);
  }
  return incident;
}

}  // namespace lockproof::execution
