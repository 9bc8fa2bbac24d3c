// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "harness/cannot_judge.hpp"
#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

constexpr milliseconds lease_of_machine{300};  // if the scenario gives none: a person waits for it
constexpr milliseconds lease_if_scaled{6'000};
constexpr std::int64_t speedup_if_scaled = 20;
constexpr int bound_in_leases = 8;
constexpr int horizon_in_leases = 100;

/// Stands for the program wherever a lock is asked for.
class RealProgramMaker final : public Maker::FileAlgorithm {
 public:
  RealProgramMaker(std::string file, int line, std::string name)
      : file_(std::move(file)), line_(line), name_(std::move(name)) {}
  [[nodiscard]] std::unique_ptr<Lock> make(Ports, const Parameters&) const override {
    throw InputError(file_, line_,
                     fmt::format("{} is a program of its own, which this command does not take: lockproof run, "
                                 "explore, explain, frontier and minimize do, and lockproof real",
                                 name_));
  }

 private:
  const std::string file_;
  const int line_;
  const std::string name_;
};

struct ProgramAlgorithm {
  ProgramAlgorithm(const std::string& file, int line, const std::string& of, Service service)
      : name(of), maker(file, line, of) {
    algorithm.service = service;
    algorithm.summary = "a program of its own";
    algorithm.name = name;
    algorithm.servers = Servers::all;
    algorithm.is_program = true;
  }
  const std::string name;
  const RealProgramMaker maker;
  Algorithm algorithm{.name = {},
                      .summary = {},
                      .source = {},
                      .broken_by = {},
                      .claims = {},
                      .lease = lease_of_machine,
                      .parameters = {},
                      .make = Maker(maker)};
};

bool flag(Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (!node) return false;
  if (const bool* set = std::get_if<bool>(&node->value)) return *set;
  fields.fail(*node, key, "must be true or false");
}

std::vector<std::string> words_of(Fields& fields, const Node& node, std::string_view key) {
  std::vector<std::string> words;
  if (const auto* line = std::get_if<std::string>(&node.value)) {
    words = words_of_command(*line);
    if (words.empty()) fields.fail(node, key, "is no command line: it is empty, or a quote is not closed");
  } else {
    for (const Node& word : fields.list(node, key)) words.push_back(fields.text(word, key));
  }
  const bool runs = !words.empty() && !words.front().empty();
  if (!runs) fields.fail(node, key, "names no program; write for example [\"python3\", \"my_lock.py\"]");
  for (const std::string& word : words) {
    if (word.find('\0') != std::string::npos) fields.fail(node, key, "has a word with a NUL byte in it");
  }
  return words;
}

/// Beside the scenario, unless it is said with its whole path.
std::string beside(const std::string& scenario, const std::string& word) {
  return (std::filesystem::path(scenario).parent_path() / word).lexically_normal().string();
}

}  // namespace

void read_environment(const std::string& file, Fields& fields, std::map<std::string, std::string>& into) {
  const Node* node = fields.find("environment");
  if (!node) return;
  const auto* table = std::get_if<Table>(&node->value);
  if (!table) fields.fail(*node, "environment", "must be a table, as in { NODE_PATH = \"lib\" }");
  Fields variables(file, *node, "environment");
  for (const Entry& entry : *table) {
    if (entry.key.starts_with("LOCKPROOF_") || entry.key.starts_with("LD_")) {
      fields.fail(entry.value, entry.key, "is set by lockproof itself; choose another name");
    }
    const std::string& value = variables.text(entry.value, entry.key);
    if ((entry.key + value).find('\0') != std::string::npos)
      fields.fail(entry.value, entry.key, "has a NUL byte in it");
    into[entry.key] = value;
  }
}

namespace {

void read_claims(Fields& fields, ProgramSpec& program) {
  program.claims = claims_of_programs();
  const Node* node = fields.find("claims");
  if (!node) return;
  program.claims.clear();
  std::vector<std::string> known;
  for (const std::string_view name : check::names()) known.emplace_back(name);
  for (const Node& item : fields.list(*node, "claims")) {
    fields.must_be(item, "claims", "property", fields.text(item, "claims"), known);
    program.claims.push_back(fields.text(item, "claims"));
  }
}

std::string read_key(Fields& fields) {
  const Node* node = fields.find("key");
  if (!node) return "";
  const std::string& pattern = fields.text(*node, "key");
  if (pattern.empty()) fields.fail(*node, "key", "is empty; write the lock's key on its servers, as in \"app:*:lock\"");
  if (pattern.find_first_not_of('*') == std::string::npos)
    fields.fail(*node, "key",
                fmt::format("is '{}', which fits every key; leave it out, and the key is learned", pattern));
  return pattern;
}

/// Three accesses while it is inside: within the lease, or longer than it where the program prolongs it.
std::vector<Work> standard_work(Duration lease, bool renews) {
  const Duration part = (renews ? lease * 8 : lease * 3) / 20;
  std::vector<Work> work;
  for (int i = 0; i < 3; ++i) {
    work.push_back({Work::Kind::hold, part});
    work.push_back({Work::Kind::touch, {}});
  }
  work.push_back({Work::Kind::hold, part});
  return work;
}

/// The first one that [servers] names; further ones are refused where servers are read.
Service service_in(Fields& top, const std::string& file) {
  const Node* const table = top.find("servers");
  if (!table) return Service::redis;
  Fields servers(file, *table, "[servers]");
  for (const ServiceRow& row : services()) {
    const Node* const node = servers.find(row.name);
    if (!node) continue;
    if (row.programs) return row.service;
    throw CannotJudge("servers", fmt::format("{}:{}: [servers]: '{}' names servers on which lockproof cannot watch a "
                                             "program: it can on redis and postgres",
                                             file, node->line, row.name));
  }
  return Service::redis;
}

bool says(const Node& document, std::string_view table, std::string_view key) {
  const auto* top = std::get_if<Table>(&document.value);
  if (!top) return false;
  for (const Entry& entry : *top) {
    const auto* inner = entry.key == table ? std::get_if<Table>(&entry.value.value) : nullptr;
    if (inner && std::ranges::find(*inner, key, &Entry::key) != inner->end()) return true;
  }
  return false;
}

}  // namespace

const std::vector<std::string>& claims_of_programs() {
  static const std::vector<std::string> claims = [] {
    std::vector<std::string> all;
    for (const std::string_view name : check::names()) {
      if (name != "loss-notification") all.emplace_back(name);
    }
    return all;
  }();
  return claims;
}

bool is_file_beside(const std::string& word) {
  std::error_code none;
  return std::filesystem::is_regular_file(word, none);
}

AlgorithmRef read_program(const std::string& file, Fields& top, Fields& fields, Scenario& s) {
  const Node& node = fields.need("command");
  for (const char* const other : {"name", "file"}) {
    if (fields.find(other))
      fields.fail(node, "command", fmt::format("and {} are two locks; leave one of them out", other));
  }
  ProgramSpec program;
  program.command = words_of(fields, node, "command");
  for (std::string& word : program.command) {
    if (const std::string path = beside(file, word); !word.empty() && is_file_beside(path)) word = path;
  }
  std::string& runs = program.command.front();
  if (runs.find('/') == std::string::npos && is_file_beside(runs)) runs = "./" + runs;  // not one of that name in PATH
  read_environment(file, fields, program.environment);
  if (const Node* folder = fields.find("folder")) {
    program.folder = beside(file, fields.text(*folder, "folder"));
    if (!std::filesystem::is_directory(program.folder)) {
      fields.fail(*folder, "folder", fmt::format("is '{}', and there is no such folder", program.folder));
    }
  }
  program.renews = flag(fields, "renews");
  read_claims(fields, program);
  if (const Node* moved = fields.find("on_error"))
    fields.fail(*moved, "on_error", "belongs under [workload], or under a [[client]], as that of every lock");
  program.key = read_key(fields);
  fields.read("clock", program.clock, program_clock_choices());
  fields.read("rounds", program.rounds, program_rounds_choices());
  fields.read("pauses", program.pauses, program_pauses_choices());
  const auto owned = std::make_shared<ProgramAlgorithm>(file, node.line, name_of(program), service_in(top, file));
  if (program.clock == ProgramClock::scaled) owned->algorithm.lease = lease_if_scaled;
  s.program = std::move(program);
  return AlgorithmRef(std::shared_ptr<const Algorithm>(owned, &owned->algorithm));
}

Plan unsaid_plan_of_program() {
  Plan unsaid;
  unsaid.start = Duration(-1);
  unsaid.work = {{Work::Kind::hold, Duration(-1)}};
  unsaid.stop_on = StopOn::loss;
  return unsaid;
}

void complete_clients_of_program(Scenario& s) {
  const Plan unsaid = unsaid_plan_of_program();
  int number = 0;
  for (ClientSpec& client : s.clients) {
    Plan& plan = client.plan;
    if (!plan.lease) plan.lease = s.algorithm->lease;
    if (plan.work == unsaid.work) plan.work = standard_work(*plan.lease, s.program->renews);
    if (!plan.retry) plan.retry = Duration(*plan.lease) / 6;
    if (plan.start == unsaid.start) plan.start = Duration(*plan.lease) / 4 * number;
    if (plan.period) plan.start = std::chrono::floor<milliseconds>(plan.start);  // by a wall clock
    ++number;
  }
}

void check_work(Fields& fields, const Node& item, const Work& work, bool of_program) {
  const bool is_told = work.kind == Work::Kind::touch || work.kind == Work::Kind::extend;
  if (work.kind == Work::Kind::hold || is_told == of_program) return;
  if (of_program)
    fields.fail(item, "work", fmt::format("has '{}'; a program is told to \"touch\" or to \"extend\"", to_text(work)));
  fields.fail(
      item, "work",
      fmt::format("has '{}', which a program of its own can be told; write \"read\" or \"write\"", to_text(work)));
}

void complete_program(const std::string& file, const Node& document, Scenario& s) {
  const bool scaled = s.program->clock == ProgramClock::scaled;
  if (!says(document, "real", "speedup")) s.speedup = scaled ? speedup_if_scaled : 1;
  if (!scaled && s.speedup != 1) {
    throw InputError(file, 0,
                     fmt::format("[real] speedup is {}, but the program lives by the machine's clock; leave it out, or "
                                 "write clock = \"scaled\" under [algorithm]",
                                 s.speedup));
  }
  if (s.clients.size() == 0) return;
  const Duration lease = Duration(*s.clients.front().plan.lease);
  if (!s.progress) s.progress = lease * bound_in_leases;
  if (!s.answers) s.answers = lease * bound_in_leases;
  const bool tells = std::ranges::find(s.program->claims, "loss-notification") != s.program->claims.end();
  if (!s.notice && tells) s.notice = lease;
  if (!says(document, "run", "horizon") && !s.period) s.horizon = lease * horizon_in_leases;
}

}  // namespace lockproof::harness
