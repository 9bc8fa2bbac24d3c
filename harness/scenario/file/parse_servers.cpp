// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/scenario/file/parse_fault.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

constexpr std::int64_t sentinels_max = 7;

/// A key that only services with this ability have.
void refuse_unless(bool able, Fields& fields, std::string_view key, const ServiceRow& service, const char* ability) {
  const Node* const node = fields.find(key);
  if (node && !able) fields.fail(*node, key, fmt::format("is not for {}, which has no {}", service.name, ability));
}

void read_persistence(Fields& fields, const ServiceRow& service, ServerSpec& server) {
  refuse_unless(service.persists, fields, "persistence", service, "persistence");
  refuse_unless(service.persists, fields, "unsynced", service, "persistence");
  fields.read("persistence", server.persistence, persistence_choices());
  const Node* const unsynced = fields.find("unsynced");
  if (!unsynced) return;
  server.unsynced = fields.duration(*unsynced, "unsynced");
  if (server.unsynced <= Duration{}) fields.fail(*unsynced, "unsynced", "must be more than nothing");
  if (server.persistence != Persistence::aof_everysec) {
    fields.fail(*unsynced, "unsynced", "is for persistence = \"aof-everysec\"");
  }
}

void read_replication(Fields& fields, const ServiceRow& service, const Scenario& s, ServerSpec& server) {
  for (const char* const key : {"min_replicas_to_write", "min_replicas_max_lag", "replica_of"}) {
    refuse_unless(service.replicates, fields, key, service, "replicas");
  }
  fields.read("min_replicas_to_write", server.min_replicas_to_write, 0, servers_max);
  if (const Node* lag = fields.find("min_replicas_max_lag")) {
    server.min_replicas_max_lag = fields.duration(*lag, "min_replicas_max_lag");
    if (server.min_replicas_max_lag <= Duration{} || server.min_replicas_max_lag % seconds(1) != Duration{}) {
      fields.fail(*lag, "min_replicas_max_lag", "must be whole seconds, at least one: Redis counts in them");
    }
  }
  const Node* const master = fields.find("replica_of");
  if (!master) return;
  server.replica_of = fields.text(*master, "replica_of");
  fields.must_be(*master, "replica_of", "server", server.replica_of, s.host_names(false, true));
  if (server.replica_of == server.name) fields.fail(*master, "replica_of", "makes a server its own replica");
  for (std::string above = server.replica_of; !above.empty();) {
    above = std::ranges::find(s.servers, above, &ServerSpec::name)->replica_of;
    if (above != server.name) continue;
    fields.fail(*master, "replica_of",
                fmt::format("is '{}', which is a replica of {} itself", server.replica_of, server.name));
  }
}

void read_server(Fields fields, const ServiceRow& service, Scenario& s, std::set<std::string>& names) {
  const Node& name = fields.need("name");
  fields.must_be(name, "name", "server", fields.text(name, "name"), s.host_names(false, true));
  fields.add_name(name, fields.text(name, "name"), names);
  ServerSpec& server = *std::ranges::find(s.servers, fields.text(name, "name"), &ServerSpec::name);
  server.clock = read_clock(fields);
  read_persistence(fields, service, server);
  read_replication(fields, service, s, server);
  fields.done();
}

std::int64_t read_count(Fields fields, const ServiceRow& service, const Algorithm& algorithm) {
  std::int64_t count = 1;
  for (const ServiceRow& other : services()) {
    const Node* const node = fields.find(other.name);
    if (!node || other.service == service.service) continue;
    fields.fail(*node, other.name,
                fmt::format("names servers on which {} cannot be kept: it is a lock for {}, so write {} = 1",
                            algorithm.name, service.name, service.name));
  }
  fields.read(service.name, count, 1, servers_max);
  fields.done();
  return count;
}

/// More servers than the lock asks would stand idle.
void refuse_idle_servers(Fields& top, const std::string& file, const Scenario& s) {
  const auto masters = std::ranges::count(s.servers, std::string(), &ServerSpec::replica_of);
  if (s.algorithm->servers == Servers::all || s.ensemble || masters <= 1) return;
  Fields fields(file, top.need("servers"), "[servers]");
  const std::string_view service = row_of(s.algorithm->service).name;
  fields.fail(
      fields.need(service), service,
      fmt::format("is {}, but {} asks one server and would leave {} idle; write 1, make the others its replicas "
                  "(replica_of), or take a lock that asks all of them, such as redlock",
                  s.servers.size(), s.algorithm->name, masters - 1));
}

/// [[client]] server: a client of an ensemble is connected to one of its servers.
void read_first_servers(Fields& top, const std::string& file, Scenario& s) {
  const Node* const list = top.find("client");
  if (!list) return;
  for (const Node& node : top.list(*list, "client")) {
    Fields fields(file, node, "[[client]]");
    const Node* const server = fields.find("server");
    if (!server) continue;
    if (!s.ensemble) fields.fail(*server, "server", "is for clients of an ensemble: its servers are one server here");
    const std::string& name = fields.text(fields.need("name"), "name");
    ClientSpec& client = *std::ranges::find(s.clients, name, &ClientSpec::name);
    client.server = fields.text(*server, "server");
    fields.must_be(*server, "server", "server", client.server, s.host_names(false, true));
  }
}

SentinelSpec read_sentinel(Fields fields, const Scenario& s) {
  SentinelSpec sentinel;
  const auto server = [&](std::string_view key) {
    const Node& node = fields.need(key);
    fields.must_be(node, key, "server", fields.text(node, key), s.host_names(false, true));
    return fields.text(node, key);
  };
  sentinel.master = server("master");
  sentinel.promotes = server("promotes");
  if (std::ranges::find(s.servers, sentinel.promotes, &ServerSpec::name)->replica_of != sentinel.master) {
    fields.fail(fields.need("promotes"), "promotes",
                fmt::format("names '{}', which is no replica of {}", sentinel.promotes, sentinel.master));
  }
  if (std::ranges::find(s.sentinels, sentinel.master, &SentinelSpec::master) != s.sentinels.end()) {
    fields.fail(fields.need("master"), "master",
                fmt::format("names '{}', which another sentinel watches", sentinel.master));
  }
  fields.read("down_after", sentinel.down_after);
  fields.read("demotes_after", sentinel.demotes_after);
  fields.read("count", sentinel.count, 1, sentinels_max);
  sentinel.quorum = sentinel.count / 2 + 1;
  fields.read("quorum", sentinel.quorum, 1, sentinel.count);
  if (const Node* node = fields.find("notified")) sentinel.to_clients = read_notified_clients(fields, *node, s);
  fields.done();
  return sentinel;
}

}  // namespace

ClockSpec read_clock(Fields& fields) {
  ClockSpec clock;
  if (const Node* node = fields.find("clock")) {
    clock.wall = fields.duration(*node, "clock", true);
    if (clock.wall % milliseconds(1) != Duration{}) fields.fail(*node, "clock", "must be whole milliseconds");
  }
  return clock;
}

void read_settings(Fields fields, const ServiceRow& service, ServiceSettings& settings) {
  const Node* const phase = fields.find("phase");
  if (phase && !service.ticks) {
    fields.fail(*phase, "phase", fmt::format("is not for {}, whose leases end when their time is over", service.name));
  }
  if (phase) {
    settings.phase = fields.duration(*phase, "phase");
    const bool whole = settings.phase % milliseconds(1) == Duration{};
    if (!whole || settings.phase >= seconds(1)) fields.fail(*phase, "phase", "must be whole milliseconds below 1s");
  }
  fields.done();
}

void read_servers(Fields& top, const std::string& file, Scenario& s) {
  const ServiceRow& service = row_of(s.algorithm->service);
  const Node* const table = top.find("servers");
  const std::int64_t count = table ? read_count(Fields(file, *table, "[servers]"), service, *s.algorithm) : 1;
  for (std::int64_t i = 1; i <= count; ++i) s.servers.push_back({fmt::format("{}-{}", service.name, i), {}});
  s.ensemble = service.ensembles && count > 1;
  if (s.ensemble && count % 2 == 0) {
    Fields fields(file, *table, "[servers]");
    fields.fail(
        fields.need(service.name), service.name,
        fmt::format("is {}, of which a majority is no smaller than of {}: write {} or 1", count, count + 1, count + 1));
  }
  read_first_servers(top, file, s);
  if (const Node* list = top.find("server")) {
    std::set<std::string> names;
    for (const Node& node : top.list(*list, "server")) read_server(Fields(file, node, "[[server]]"), service, s, names);
  }
  if (const Node* settings = top.find("service"))
    read_settings(Fields(file, *settings, "[service]"), service, s.service);
  refuse_unless(service.replicates, top, "sentinel", service, "replicas");
  if (const Node* list = top.find("sentinel")) {
    for (const Node& node : top.list(*list, "sentinel")) {
      s.sentinels.push_back(read_sentinel(Fields(file, node, "[[sentinel]]"), s));
    }
  }
  refuse_idle_servers(top, file, s);
}

}  // namespace lockproof::harness
