// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/parse_case.hpp"
#include "harness/scenario/file/parse_fault.hpp"
#include "harness/scenario/file/parse_program.hpp"
#include "harness/scenario/file/parse_servers.hpp"
#include "harness/scenario/file/parse_twin.hpp"
#include "harness/scenario/file/parse_work.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

constexpr std::int64_t clients_max = 64;

bool is_for_ever(Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  const auto* word = node ? std::get_if<std::string>(&node->value) : nullptr;
  if (word && key == "rounds" && *word != "for ever") {
    fields.fail(*node, key, fmt::format("is '{}'; write a number, or \"for ever\"", *word));
  }
  return word && *word == "for ever";
}

/// An instant, or a window, which matters to who asks freely: ["0s", "10s"].
void read_start(Fields& fields, Plan& plan) {
  const Node* node = fields.find("start");
  if (!node) return;
  Window window;
  fields.read("start", window);
  plan.start = window.least;
  plan.start_latest.reset();
  if (std::holds_alternative<List>(node->value)) plan.start_latest = window.most;
  if (plan.period && plan.start_latest) {
    fields.fail(*node, "start",
                "is a window, which has no part where there is a period: a round begins with its period");
  }
  if (plan.period && plan.start % milliseconds(1) != Duration{}) {
    fields.fail(*node, "start", "must be whole milliseconds: periods begin by a wall clock");
  }
}

void read_attempt_timeout(Fields& fields, bool of_program, Plan& plan) {
  const Node* node = fields.find("attempt_timeout");
  if (!node) return;
  if (of_program) fields.fail(*node, "attempt_timeout", "has no part in a program, which ends its own attempts");
  plan.attempt_timeout = fields.duration(*node, "attempt_timeout");
  if (*plan.attempt_timeout <= Duration{}) fields.fail(*node, "attempt_timeout", "must be more than 0");
}

/// What [workload] sets for all clients and [[client]] for one.
/// `lock`: the scenario's.
void read_plan(Fields& fields, const Algorithm& algorithm, const std::string& lock, Plan& plan) {
  if (is_for_ever(fields, "rounds")) {
    plan.rounds = rounds_for_ever;
  } else {
    fields.read("rounds", plan.rounds, 1, 1'000'000);
  }
  read_start(fields, plan);
  if (is_for_ever(fields, "acquire_timeout")) {
    plan.acquire_timeout = for_ever;
  } else {
    fields.read("acquire_timeout", plan.acquire_timeout);
  }
  read_attempt_timeout(fields, algorithm.is_program, plan);
  if (fields.find("attempts")) fields.read("attempts", plan.attempts.emplace(), 1, 1'000'000);
  if (const Node* node = fields.find("retry")) plan.retry = fields.duration(*node, "retry");
  fields.read("think_time", plan.think_time);
  read_locks(fields, algorithm.is_program, lock, plan);
  fields.read("stop_on", plan.stop_on, stop_on_choices());
  if (const Node* node = fields.find("connect"); node && algorithm.is_program) {
    fields.fail(*node, "connect", "has no part in a program, which opens its own connections");
  }
  fields.read("connect", plan.connect, connect_choices());
  fields.read("on_error", plan.on_error, on_error_choices());
  if (plan.on_error == OnError::release && algorithm.is_program) {
    fields.fail(fields.need("on_error"), "on_error",
                "is 'release', but a program cleans up by itself; write \"retry\"");
  }
  fields.read("release_tries", plan.release_tries, 0, 1000);
  read_work(fields, algorithm.is_program, lock, plan);
  if (plan.period && plan.think_time > Duration{}) {
    fields.fail(fields.need("think_time"), "think_time",
                "has no part where there is a period: a round begins with its period");
  }
  if (const Node* node = fields.find("lease")) {
    const auto* word = std::get_if<std::string>(&node->value);
    if (word && *word == "?")
      fields.fail(*node, "lease", "is '?', a question that lockproof explore FILE answers; write a lease");
    const Duration lease = fields.duration(*node, "lease");
    if (lease <= Duration{} || lease % algorithm.lease_unit != Duration{}) {
      fields.fail(*node, "lease",
                  fmt::format("is {}, but {} counts leases in whole {}", to_text(lease), algorithm.name,
                              algorithm.lease_unit == seconds(1) ? "seconds" : "milliseconds"));
    }
    plan.lease = std::chrono::duration_cast<milliseconds>(lease);
  }
}

/// Tasks of one process have one lock object, and the host's clocks.
void read_process(Fields& fields, const Scenario& s, ClientSpec& client) {
  const Node* node = fields.find("process");
  if (!node) return;
  if (s.program) fields.fail(*node, "process", "has no part in a program, which is a process of its own");
  client.process = fields.text(*node, "process");
  if (client.process.empty()) fields.fail(*node, "process", "is empty; clients with the same text are one process");
  for (const ClientSpec& other : s.clients) {
    if (&other == &client || other.process != client.process) continue;
    const bool alike = other.parameters == client.parameters && other.clock == client.clock;
    if (alike) continue;
    fields.fail(*node, "process",
                fmt::format("is also that of {}, so both have one lock object and one clock: give them the same "
                            "parameters and the same clock",
                            other.name));
  }
}

void read_clients(Fields& top, const std::string& file, bool instead, Scenario& s) {
  Plan plan = s.program ? unsaid_plan_of_program() : Plan{};
  int count = 2;
  if (const Node* node = top.find("workload")) {
    Fields fields(file, *node, "[workload]");
    fields.read("clients", count, 1, clients_max);
    if (const Node* period = fields.find("period")) {
      s.period = plan.period = fields.duration(*period, "period");
      if (*s.period <= Duration{} || *s.period % milliseconds(1) != Duration{}) {
        fields.fail(*period, "period", "must be whole milliseconds, at least one: periods begin by a wall clock");
      }
    }
    read_plan(fields, *s.algorithm, s.lock, plan);
    fields.done();
  }
  for (int i = 1; i <= count; ++i) s.clients.push_back({fmt::format("client-{}", i), {}, plan});
  const Node* list = top.find("client");
  std::set<std::string> names;
  for (const Node& node : list ? top.list(*list, "client") : List{}) {
    Fields fields(file, node, "[[client]]");
    const Node& name = fields.need("name");
    fields.must_be(name, "name", "client", fields.text(name, "name"), s.host_names(true, false));
    fields.add_name(name, fields.text(name, "name"), names);
    ClientSpec& client = *std::ranges::find(s.clients, fields.text(name, "name"), &ClientSpec::name);
    read_plan(fields, *s.algorithm, s.lock, client.plan);
    client.clock = read_clock(fields);
    client.parameters = read_own_parameters(file, fields, s, instead);
    if (s.program) read_environment(file, fields, client.environment);
    read_process(fields, s, client);
    static_cast<void>(fields.find("server"));  // read when the servers are known
    fields.done();
  }
  if (s.program) complete_clients_of_program(s);
  const bool shares = std::ranges::any_of(s.clients, &Plan::shares, &ClientSpec::plan);
  if (shares && s.permits() > 1) {
    throw InputError(file, 0,
                     fmt::format("has {} permits and clients with mode \"shared\": a permit has no modes; "
                                 "leave one of them out",
                                 s.permits()));
  }
}

void read_network(Fields& top, const std::string& file, Scenario& s) {
  const Node* node = top.find("network");
  if (!node) return;
  Fields fields(file, *node, "[network]");
  fields.read_range("latency", s.network.latency);
  fields.read("replication", s.network.replication);
  fields.read("timeout", s.network.timeout);
  fields.read("on_timeout", s.network.on_timeout, on_timeout_choices());
  fields.done();
}

void read_step(Fields fields, Scenario& s) {
  Step step;
  step.line = fields.line();
  const Node& event = fields.need("event");
  const auto name = event_name_from(fields.text(event, "event"));
  if (!name) {
    fields.fail(event, "event",
                "names no event; write for example \"client-1 -> redis-1 SETNX #1 round 1\", "
                "\"redis-1 -> client-1 GET\", \"client-1 worker #2\", \"client-1 time-out redis-1 GET\", "
                "\"client-1 jitter\", \"client-1 asks #2\" or \"fault #1\"");
  }
  auto hosts = s.host_names(true, true);
  hosts.emplace_back("resource");
  if (!name->actor.empty()) fields.must_be(event, "event", "host", name->actor, hosts);
  if (!name->peer.empty()) fields.must_be(event, "event", "host", name->peer, hosts);
  step.event = *name;
  if (const Node* takes = fields.find("takes")) step.takes = fields.duration(*takes, "takes");
  if (name->kind == EventName::Kind::ask) {
    fields.must_be(event, "event", "client", name->actor, s.host_names(true, false));
    step.at = fields.duration(fields.need("at"), "at");
  }
  check_round(fields, event, s, "event", name->round);
  fields.done();
  s.steps.push_back(step);
}

void read_resource(Fields& top, const std::string& file, Scenario& s) {
  const Node* node = top.find("resource");
  if (!node) return;
  Fields fields(file, *node, "[resource]");
  fields.read("fencing", s.fencing, fencing_choices());
  fields.read("marker", s.marker, marker_choices());
  if (s.marker == Marker::period && !s.period) {
    fields.fail(fields.need("marker"), "marker", "is \"period\", which needs a period: [workload] period = \"1min\"");
  }
  for (ClientSpec& client : s.clients) client.plan.claims = s.marker == Marker::period;
  fields.done();
}

/// As long after the last period has begun, by the slowest clock, as other scenarios last.
Duration standard_horizon(const Scenario& s) {
  Duration last{};
  for (const ClientSpec& client : s.clients) {
    const Plan& plan = client.plan;
    if (!plan.period) continue;
    const int rounds = plan.rounds == rounds_for_ever ? 1 : plan.rounds;
    const bool ends = *plan.period < for_ever / rounds;
    last = std::max(last, ends ? plan.start - client.clock.wall + *plan.period * rounds : for_ever);
  }
  return Scenario().horizon + last;
}

void read_settings(Fields& top, const std::string& file, Scenario& s) {
  s.horizon = standard_horizon(s);
  s.speedup = standard_speedup(s);
  if (const Node* node = top.find("run")) {
    Fields fields(file, *node, "[run]");
    fields.read("horizon", s.horizon);
    fields.read("grid", s.grid);
    fields.read("seed", s.seed, 0, INT64_MAX);
    if (s.grid <= Duration{}) fields.fail(fields.need("grid"), "grid", "must be more than 0");
    fields.done();
  }
  if (const Node* node = top.find("real")) {
    Fields fields(file, *node, "[real]");
    fields.read("speedup", s.speedup, 1, 1000);
    fields.done();
  }
  if (const Node* node = top.find("judge")) {
    Fields fields(file, *node, "[judge]");
    for (auto& [key, into] : {std::pair{"takeover", &s.takeover},
                              {"progress", &s.progress},
                              {"waiting", &s.waiting},
                              {"notice", &s.notice},
                              {"available", &s.available},
                              {"answers", &s.answers},
                              {"entry", &s.entry},
                              {"settled", &s.settled},
                              {"early", &s.early}}) {
      if (const Node* bound = fields.find(key)) *into = fields.duration(*bound, key);
    }
    fields.done();
  }
}

bool names_twin(const Node& document) {
  const auto* table = std::get_if<Table>(&document.value);
  return table && std::ranges::find(*table, "twin", &Entry::key) != table->end();
}

/// Nothing is expected on servers that do not exist.
void leave_out_real(const std::string& file, Fields& top, Scenario& s) {
  const std::string_view why = simulated_only(s);
  if (why.empty()) return;
  if (const Node* node = top.find("expect")) {
    Fields expect(file, *node, "[expect]");
    if (const Node* real = expect.find("real")) {
      expect.fail(*real, "real", fmt::format("cannot be met: {}", why));
    }
  }
  s.expect.real.reset();
}

Scenario read_scenario(const std::string& named, std::string_view text, const Node& document,
                       const AlgorithmRef& algorithm) {
  const std::string with_twin = file_of_twin(named);
  const bool twin = !with_twin.empty() && names_twin(document);
  const std::string& file = twin ? with_twin : named;  // in which messages name lines
  Scenario s;
  s.file = s.called = named;
  s.text = text;
  s.name = std::filesystem::path(named).stem().string();
  Fields top(file, document, "the scenario");
  top.read("title", s.title);
  top.read("source", s.source);
  top.read("lock", s.lock);
  if (const Node* node = top.find("case")) s.documented = read_case(file, *node);
  read_algorithm(file, top, algorithm, s);
  read_clients(top, file, bool(algorithm), s);
  read_servers(top, file, s);
  read_resource(top, file, s);
  read_network(top, file, s);
  if (const Node* list = top.find("fault")) {
    for (const Node& node : top.list(*list, "fault"))
      s.faults.push_back(read_fault(Fields(file, node, "[[fault]]"), s));
  }
  if (const Node* list = top.find("step")) {
    for (const Node& node : top.list(*list, "step")) read_step(Fields(file, node, "[[step]]"), s);
  }
  if (const Node* node = top.find("expect")) s.expect = read_expect(file, *node);
  if (const Node* node = top.find("twin")) read_twin(file, *node, twin, s);
  leave_out_real(file, top, s);
  if (algorithm) {
    s.expect = {};
    s.documented.reset();
  }
  read_settings(top, file, s);
  check_locks(file, s);
  if (s.program) complete_program(file, document, s);
  if (const Node* node = top.find("explore")) s.explore = read_bounds(file, *node, s);
  top.done();
  return s;
}

}  // namespace

Scenario parse_scenario(const std::string& file, std::string_view text, const AlgorithmRef& algorithm) {
  return read_scenario(file, text, parse_toml(file, text), algorithm);
}

std::string text_of(const std::string& file) {
  constexpr std::size_t most = std::size_t{256} << 20;
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed)) {
    throw InputError(file, 0, "this is a folder: use check, which runs all scenarios in it");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(std::fopen(file.c_str(), "rb"), std::fclose);
  if (!opened && errno == ENOENT) throw InputError(file, 0, "there is no such scenario file");
  if (!opened) throw InputError(file, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, opened.get())) {
    text.append(buffer, n);
    if (text.size() > most) throw InputError(file, 0, fmt::format("is larger than {} MB", most >> 20));
  }
  return text;
}

bool has_twin(const std::string& file) {
  try {
    const std::string text = text_of(file);
    return text.find("twin") != std::string::npos && names_twin(parse_toml(file, text));
  } catch (const InputError&) {
    return false;
  }
}

/// A twin's text is that of its scenario, unless it has a file of its own.
Scenario load_scenario(const std::string& file, const AlgorithmRef& algorithm) {
  const std::string other = file_of_twin(file);
  std::error_code failed;
  const bool is_there = std::filesystem::exists(file, failed);
  if (other.empty() || is_there || failed || !std::filesystem::exists(other, failed)) {
    return parse_scenario(file, text_of(file), algorithm);
  }
  const std::string text = text_of(other);
  const Node document = parse_toml(other, text);
  if (names_twin(document)) return read_scenario(file, text, document, algorithm);
  throw InputError(file, 0, fmt::format("there is no such scenario file, and {} has no [twin]", other));
}

}  // namespace lockproof::harness
