// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/write.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

std::string quoted(std::string_view text) {
  std::string q = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') q += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      q += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      q += c;
    }
  }
  return q + "\"";
}

std::string signed_text(Duration d) { return (d < Duration{} ? "-" : "+") + to_text(d < Duration{} ? -d : d); }

std::string rate_text(std::int64_t ppb) {
  const std::int64_t n = ppb < 0 ? -ppb : ppb;
  std::string digits = fmt::format("{}.{:07}", n / 10'000'000, n % 10'000'000);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  return fmt::format("{}{}%", ppb < 0 ? "-" : "+", digits);
}

template <class E>
std::string word(E value, Choices<E> choices) {
  return std::string(std::ranges::find(choices, value, &std::pair<std::string_view, E>::second)->first);
}

/// A table under way: its heading is written with its first entry.
class Writer {
 public:
  explicit Writer(std::string& text) : text_(text) {}
  void begin(std::string heading, bool always = false) {
    heading_ = std::move(heading);
    if (always) open();
  }
  void raw(std::string_view key, const std::string& value) {
    open();
    text_ += fmt::format("{} = {}\n", key, value);
  }
  void put(std::string_view key, std::string_view value) { raw(key, quoted(value)); }
  void put(std::string_view key, Duration d) { put(key, to_text(d)); }
  void put(std::string_view key, const Window& w) {
    if (w.least == w.most) return put(key, w.least);
    raw(key, fmt::format("[{}, {}]", quoted(to_text(w.least)), quoted(to_text(w.most))));
  }
  void put(std::string_view key, std::int64_t n) { raw(key, std::to_string(n)); }
  void put(std::string_view key, const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& w : words) list += (list.empty() ? "" : ", ") + quoted(w);
    raw(key, "[" + list + "]");
  }

 private:
  void open() {
    if (!heading_.empty()) text_ += fmt::format("{}{}\n", text_.empty() ? "" : "\n", heading_);
    heading_.clear();
  }
  std::string& text_;
  std::string heading_;
};

/// What differs from `base`.
void write_plan(Writer& out, const Plan& plan, const Plan& base) {
  if (plan.rounds != base.rounds) out.put("rounds", plan.rounds);
  if (plan.start != base.start) out.put("start", plan.start);
  if (plan.lease && plan.lease != base.lease) out.put("lease", Duration(*plan.lease));
  if (plan.patience != base.patience) out.put("patience", plan.patience);
  if (plan.attempts && plan.attempts != base.attempts) out.put("attempts", *plan.attempts);
  if (plan.retry && plan.retry != base.retry) out.put("retry", *plan.retry);
  if (plan.rest != base.rest) out.put("rest", plan.rest);
  if (plan.work != base.work) {
    std::vector<std::string> steps;
    for (const Work& work : plan.work) {
      steps.push_back(work.kind == Work::Kind::read    ? "read"
                      : work.kind == Work::Kind::write ? "write"
                                                       : "hold " + to_text(work.lasts));
    }
    out.put("work", steps);
  }
  if (plan.obeys != base.obeys) out.put("obeys", word(plan.obeys, obeys_choices()));
  if (plan.on_error != base.on_error) out.put("on_error", word(plan.on_error, on_error_choices()));
}

/// [workload] holds what most clients do: the first one's plan, but for an optional setting that another one lacks,
/// since a [[client]] cannot take one away.
Plan shared_plan(const Scenario& s) {
  Plan shared = s.clients.front().plan;
  for (const ClientSpec& client : s.clients) {
    if (!client.plan.lease) shared.lease.reset();
    if (!client.plan.attempts) shared.attempts.reset();
    if (!client.plan.retry) shared.retry.reset();
  }
  return shared;
}

void write_clients(Writer& out, const Scenario& s) {
  const Plan shared = shared_plan(s);
  out.begin("[workload]");
  if (s.clients.size() != 2) out.put("clients", static_cast<std::int64_t>(s.clients.size()));
  write_plan(out, shared, Plan{});
  for (const ClientSpec& client : s.clients) {
    if (client.plan == shared && client.clock == ClockSpec{}) continue;
    out.begin("[[client]]", true);
    out.put("name", client.name);
    if (client.clock.wall != Duration{}) out.put("clock", signed_text(client.clock.wall));
    write_plan(out, client.plan, shared);
  }
}

void write_servers(Writer& out, const Scenario& s) {
  out.begin("[servers]");
  if (s.servers.size() != 1) out.put("redis", static_cast<std::int64_t>(s.servers.size()));
  for (const ServerSpec& server : s.servers) {
    const bool plain =
        server.clock == ClockSpec{} && server.replica_of.empty() && server.persistence == Persistence::none;
    if (plain) continue;
    out.begin("[[server]]", true);
    out.put("name", server.name);
    if (server.clock.wall != Duration{}) out.put("clock", signed_text(server.clock.wall));
    if (server.persistence != Persistence::none) {
      out.put("persistence", word(server.persistence, persistence_choices()));
    }
    if (!server.replica_of.empty()) out.put("replica_of", server.replica_of);
  }
}

void write_fault(Writer& out, const Fault& f) {
  out.begin("[[fault]]", true);
  out.put("kind", name(f.kind));
  out.put("target", f.target);
  if (f.at) out.put("at", *f.at);
  if (f.when) out.put("when", to_text(*f.when));
  if (f.delay != Duration{}) out.put("after", f.delay);
  if (f.lasts != Duration{}) out.put("for", f.lasts);
  if (f.kind == FaultKind::clock_jump) out.put("by", signed_text(f.by));
  if (f.kind == FaultKind::delay) out.put("by", f.by);
  if (f.kind == FaultKind::clock_rate) out.put("rate", rate_text(f.rate_ppb));
  if (f.kind == FaultKind::drop && f.reply) out.put("lose", "reply");
  if (f.kind == FaultKind::failover) {
    out.put("to", f.peer);
    if (f.old_serves) out.put("old", "serves");
    if (!f.to_clients.empty()) out.put("told", f.to_clients);
  } else if (!f.peer.empty()) {
    out.put("peer", f.peer);
  }
  if (f.way != Fault::Way::both) out.put("way", word(f.way, way_choices()));
}

void write_expectations(Writer& out, const char* world, const std::optional<Expectations>& expected) {
  if (!expected) return;
  out.begin(fmt::format("[expect.{}]", world), true);
  for (const auto& [property, verdict] : *expected) out.put(property, verdict);
}

}  // namespace

std::string to_toml(const Scenario& s) {
  std::string text;
  Writer out(text);
  if (!s.title.empty()) out.put("title", s.title);
  if (!s.source.empty()) out.put("source", s.source);
  if (s.lock != "lock") out.put("lock", s.lock);
  out.begin("[algorithm]");
  out.put("name", s.algorithm->name);
  for (const Parameter& parameter : s.algorithm->parameters) {
    const Duration value = s.parameters.find(parameter.name)->second;
    if (value != parameter.standard) out.put(parameter.name, value);
  }
  write_clients(out, s);
  write_servers(out, s);
  const Network standard;
  out.begin("[network]");
  if (s.network.latency != standard.latency) out.put("latency", s.network.latency);
  if (s.network.replication != standard.replication) out.put("replication", s.network.replication);
  if (s.network.timeout != standard.timeout) out.put("timeout", s.network.timeout);
  if (s.network.on_timeout != standard.on_timeout) {
    out.put("on_timeout", word(s.network.on_timeout, on_timeout_choices()));
  }
  out.begin("[resource]");
  if (s.fencing != Fencing::none) out.put("fencing", word(s.fencing, fencing_choices()));
  for (const Fault& fault : s.faults) write_fault(out, fault);
  for (const Step& step : s.steps) {
    out.begin("[[step]]", true);
    out.put("event", to_text(step.event));
    if (step.takes) out.put("takes", *step.takes);
  }
  const Scenario defaults;
  out.begin("[run]");
  if (s.horizon != defaults.horizon) out.put("horizon", s.horizon);
  if (s.grid != defaults.grid) out.put("grid", s.grid);
  if (s.seed != defaults.seed) out.put("seed", static_cast<std::int64_t>(s.seed));
  out.begin("[real]");
  if (s.scale != defaults.scale) out.put("scale", s.scale);
  out.begin("[judge]");
  if (s.takeover) out.put("takeover", *s.takeover);
  write_expectations(out, "run", s.expect.run);
  write_expectations(out, "explore", s.expect.explore);
  write_expectations(out, "real", s.expect.real);
  return text;
}

}  // namespace lockproof::harness
