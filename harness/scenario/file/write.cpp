// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/write.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "harness/check/properties.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/parse_program.hpp"
#include "harness/scenario/file/write_clients.hpp"
#include "harness/scenario/file/writer.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::harness {
namespace {

std::string rate_text(std::int64_t ppb) {
  const std::int64_t n = ppb < 0 ? -ppb : ppb;
  std::string digits = fmt::format("{}.{:07}", n / 10'000'000, n % 10'000'000);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return fmt::format("{}{}%", ppb < 0 ? "-" : "+", digits);
}

void write_servers(Writer& out, const Scenario& s) {
  out.begin("[servers]");
  const bool says_service = s.program && s.algorithm->service != Service::redis;  // nothing else does
  if (s.servers.size() != 1 || says_service)
    out.put(row_of(s.algorithm->service).name, static_cast<std::int64_t>(s.servers.size()));
  for (const ServerSpec& server : s.servers) {
    ServerSpec plain;
    plain.name = server.name;
    if (server == plain) continue;
    out.begin("[[server]]", true);
    out.put("name", server.name);
    if (server.clock.wall != Duration{}) out.put("clock", signed_text(server.clock.wall));
    if (!server.replica_of.empty()) out.put("replica_of", server.replica_of);
    if (server.persistence != Persistence::none) {
      out.put("persistence", word(server.persistence, persistence_choices()));
    }
    if (server.unsynced != plain.unsynced) out.put("unsynced", server.unsynced);
    if (server.min_replicas_to_write != 0) out.put("min_replicas_to_write", server.min_replicas_to_write);
    if (server.min_replicas_max_lag != plain.min_replicas_max_lag) {
      out.put("min_replicas_max_lag", server.min_replicas_max_lag);
    }
  }
}

void write_service(Writer& out, const ServiceSettings& service) {
  out.begin("[service]");
  if (service.phase != Duration{}) out.put("phase", service.phase);
}

void write_sentinels(Writer& out, const Scenario& s) {
  const SentinelSpec standard;
  for (const SentinelSpec& sentinel : s.sentinels) {
    out.begin("[[sentinel]]", true);
    out.put("master", sentinel.master);
    out.put("promotes", sentinel.promotes);
    if (sentinel.down_after != standard.down_after) out.put("down_after", sentinel.down_after);
    if (sentinel.demotes_after != standard.demotes_after) out.put("demotes_after", sentinel.demotes_after);
    if (sentinel.count != standard.count) out.put("count", sentinel.count);
    if (sentinel.quorum != sentinel.count / 2 + 1) out.put("quorum", sentinel.quorum);
    if (!sentinel.to_clients.empty()) out.put("notified", sentinel.to_clients);
  }
}

void write_network(Writer& out, const Network& network) {
  const Network standard;
  out.begin("[network]");
  if (network.latency != standard.latency) out.put("latency", network.latency);
  if (network.replication != standard.replication) out.put("replication", network.replication);
  if (network.timeout != standard.timeout) out.put("timeout", network.timeout);
  if (network.on_timeout != standard.on_timeout) out.put("on_timeout", word(network.on_timeout, on_timeout_choices()));
}

void write_setting(Writer& out, Setting setting, const Fault& f) {
  switch (setting) {
    case Setting::none: return;
    case Setting::lasts: return out.put("for", f.lasts);
    case Setting::may_last:
      if (f.lasts != Duration{}) out.put("for", f.lasts);
      return;
    case Setting::by: return out.put("by", f.by);
    case Setting::jump: return out.put("by", signed_text(f.by));
    case Setting::lose:
    case Setting::late:
      if (f.reply) out.put(setting == Setting::lose ? "lose" : "late", "reply");
      return;
    case Setting::cause:
      if (!f.reply) out.put("lose", "nothing");
      return;
    case Setting::connection:
      if (f.same_connection) out.put("connection", "same");
      return;
    case Setting::session:
      if (!f.session.empty()) out.put("session", f.session);
      return;
    case Setting::end: return out.put("peer", f.peer);
    case Setting::peer:
      if (!f.peer.empty()) out.put("peer", f.peer);
      return;
    case Setting::direction:
      if (f.direction != Fault::Direction::both) out.put("direction", word(f.direction, direction_choices()));
      return;
    case Setting::rate: return out.put("rate", rate_text(f.rate_ppb));
    case Setting::promoted: return out.put("to", f.peer);
    case Setting::old:
      if (f.old_serves) out.put("old", "serves");
      return;
    case Setting::notified:
      if (!f.to_clients.empty()) out.put("notified", f.to_clients);
      return;
    case Setting::mode:
      if (f.reads_too) out.put("mode", "all");
      return;
  }
}

void write_fault(Writer& out, const Fault& f) {
  out.begin("[[fault]]", true);
  out.put("kind", name(f.kind));
  out.put("target", f.target);
  if (f.at) out.put("at", *f.at);
  if (f.when) {
    out.put("when", to_text(*f.when));
    if (f.delay != Duration{}) out.put("after", f.delay);
  }
  for (const Setting setting : row_of(f.kind).settings) write_setting(out, setting, f);
  if (f.until) out.put("until", to_text(*f.until));
  if (f.longer != Duration{}) out.put("longer", f.longer);
}

/// A file beside the scenario is named as seen from where the scenario will be.
void write_program(Writer& out, const ProgramSpec& program, const std::string& folder) {
  const ProgramSpec standard;
  std::vector<std::string> words = program.command;
  for (std::string& word : words) {
    if (!folder.empty() && is_file_beside(word)) word = path_seen_from(folder, word);
  }
  out.put("command", words);
  if (!program.folder.empty())
    out.put("folder", folder.empty() ? program.folder : path_seen_from(folder, program.folder));
  if (!program.key.empty()) out.put("key", program.key);
  if (program.renews) out.raw("renews", "true");
  if (program.clock != standard.clock) out.put("clock", word(program.clock, program_clock_choices()));
  if (program.rounds != standard.rounds) out.put("rounds", word(program.rounds, program_rounds_choices()));
  if (program.pauses != standard.pauses) out.put("pauses", word(program.pauses, program_pauses_choices()));
  if (program.claims != claims_of_programs()) out.put("claims", program.claims);
  if (program.permits != 1) out.put("permits", program.permits);
  write_environment(out, program.environment);
}

void write_step(Writer& out, const Step& step) {
  out.begin("[[step]]", true);
  out.put("event", to_text(step.event));
  if (step.takes) out.put("takes", *step.takes);
  if (step.at) out.put("at", *step.at);
}

std::string inline_table(const Publication& source) {
  std::vector<std::string> parts;
  if (!source.repo.empty()) parts.push_back("repo = " + in_quotes(source.repo));
  if (source.issue) parts.push_back(fmt::format("issue = {}", *source.issue));
  if (!source.url.empty()) parts.push_back("url = " + in_quotes(source.url));
  if (!source.note.empty()) parts.push_back("note = " + in_quotes(source.note));
  return fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

void write_case(Writer& out, const CaseReference& documented) {
  out.begin("[case]", true);
  if (documented.cases.size() == 1) out.put("id", documented.cases.front());
  if (documented.cases.size() > 1) out.put("id", documented.cases);
  if (documented.role != CaseReference::Role::shows) out.put("role", word(documented.role, role_choices()));
  if (!documented.claims.empty()) out.put("claims", documented.claims);
  std::string sources;
  for (const Publication& source : documented.sources) sources += fmt::format("  {},\n", inline_table(source));
  if (!sources.empty()) out.raw("sources", fmt::format("[\n{}]", sources));
  if (const auto& search = documented.search) {
    out.raw("search", fmt::format("{{ budget = {}, faults = {} }}", in_quotes(search->name), search->faults));
  }
}

void write_settings(Writer& out, const Scenario& s) {
  const Scenario standard;
  out.begin("[judge]");
  if (s.takeover) out.put("takeover", *s.takeover);
  if (s.progress) out.put("progress", *s.progress);
  if (s.waiting) out.put("waiting", *s.waiting);
  if (s.notice) out.put("notice", *s.notice);
  if (s.available) out.put("available", *s.available);
  if (s.answers) out.put("answers", *s.answers);
  if (s.entry) out.put("entry", *s.entry);
  if (s.settled) out.put("settled", *s.settled);
  if (s.early) out.put("early", *s.early);
  out.begin("[run]");
  if (s.horizon != standard.horizon || s.period) out.put("horizon", s.horizon);
  if (s.grid != standard.grid) out.put("grid", s.grid);
  if (s.seed != standard.seed) out.put("seed", static_cast<std::int64_t>(s.seed));
  out.begin("[real]");
  if (s.speedup != standard_speedup(s)) out.put("speedup", s.speedup);
}

/// The one word that is expected of every property, if it is one.
std::optional<std::string> word_for_all(const std::optional<Expectations>& expected) {
  if (!expected || expected->size() != check::names().size()) return std::nullopt;
  const std::string& first = expected->begin()->second;
  const auto same = [&](const auto& one) { return one.second == first; };
  return std::ranges::all_of(*expected, same) ? std::optional(first) : std::nullopt;
}

void write_expect(Writer& out, const Expect& expect) {
  const std::pair<std::string_view, const std::optional<Expectations>&> worlds[] = {
      {"run", expect.run}, {"explore", expect.explore}, {"real", expect.real}};
  out.begin("[expect]");
  for (const auto& [world, expected] : worlds) {
    if (const auto all = word_for_all(expected)) out.put(world, *all);
  }
  if (expect.liveness) out.put("liveness", *expect.liveness);
  for (const auto& [world, expected] : worlds) {
    if (!expected || word_for_all(expected)) continue;
    out.begin(fmt::format("[expect.{}]", world), true);
    for (const std::string_view property : check::names()) {
      if (const auto found = expected->find(property); found != expected->end()) out.put(property, found->second);
    }
  }
}

}  // namespace

std::string to_toml(const Scenario& s, const std::string& folder) {
  std::string text;
  Writer out(text);
  if (!s.title.empty()) out.put("title", s.title);
  if (!s.source.empty()) out.put("source", s.source);
  if (s.lock != "lock") out.put("lock", s.lock);
  if (s.documented) write_case(out, *s.documented);
  out.begin("[algorithm]");
  if (s.program) {
    write_program(out, *s.program, folder);
  } else if (s.algorithm.is_file()) {
    out.put("file", file_seen_from(folder, *s.algorithm));
  } else {
    out.put("name", s.algorithm->name);
  }
  for (const Parameter& parameter : s.algorithm->parameters) {
    const auto set = s.parameters.find(parameter.name);
    const bool said = set != s.parameters.end() && (parameter.needed || set->second != parameter.standard);
    if (!said) continue;
    parameter.counts ? out.put(parameter.name, set->second.count()) : out.put(parameter.name, set->second);
  }
  write_clients(out, s);
  write_servers(out, s);
  write_service(out, s.service);
  write_sentinels(out, s);
  write_network(out, s.network);
  out.begin("[resource]");
  if (s.fencing != Fencing::none) out.put("fencing", word(s.fencing, fencing_choices()));
  if (s.marker != Marker::none) out.put("marker", word(s.marker, marker_choices()));
  for (const Fault& fault : s.faults) write_fault(out, fault);
  for (const Step& step : s.steps) write_step(out, step);
  write_settings(out, s);
  write_expect(out, s.expect);
  return text;
}

}  // namespace lockproof::harness
