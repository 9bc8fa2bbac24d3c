// SPDX-License-Identifier: Apache-2.0
// new: a scenario to begin with, which runs, and says in its comments what can be changed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "algorithms/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "execution/execution.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::cli {
namespace {

using execution::execute;
using execution::Execution;
using execution::WorldKind;
using harness::FaultRow;

constexpr std::size_t column = 34;  // where comments begin

std::string line(const std::string& toml, std::string_view comment) {
  return fmt::format("{:<{}}  # {}\n", toml, column, comment);
}

bool needs_replica(const FaultRow* fault) { return fault && fault->reaches_others; }

constexpr int of_a_majority = 3;  // servers of Redlock, or of an ensemble

struct Servers {
  std::string_view service;
  int count = 1;
  std::string replica;    // or one of an ensemble that follows; empty: none
  bool ensemble = false;  // they are one
};

Servers servers_of(const Algorithm& algorithm, const FaultRow* fault) {
  Servers servers{.service = harness::row_of(algorithm.service).name};
  if (algorithm.servers == lockproof::Servers::all) servers.count = of_a_majority;
  if (harness::row_of(algorithm.service).ensembles && needs_replica(fault)) {
    servers.count = of_a_majority;
    servers.replica = fmt::format("{}-1", servers.service);
    servers.ensemble = true;
  } else if (algorithm.servers == lockproof::Servers::one_with_replica || needs_replica(fault)) {
    servers.replica = fmt::format("{}-{}", servers.service, ++servers.count);
  }
  return servers;
}

/// `folder`: where the scenario will be.
std::string without_fault(const Algorithm& algorithm, const Servers& servers, const std::string& title,
                          const std::string& folder) {
  std::string text = fmt::format("# All keys: docs/reference/scenario.md\ntitle = \"{}\"\n", title);
  text += "\n[algorithm]\n";
  if (algorithm.file.empty()) {
    text += line(fmt::format("name = \"{}\"", algorithm.name), "others: lockproof list algorithms");
  } else {
    text += line(fmt::format("file = {}", harness::in_quotes(harness::file_seen_from(folder, algorithm))),
                 "your own lock: docs/reference/lua.md");
  }
  for (const Parameter& parameter : algorithm.parameters) {
    if (!parameter.needed) continue;
    text += line(fmt::format("{} = \"{}\"", parameter.name, harness::to_text(parameter.standard)), parameter.meaning);
  }
  text += "\n[workload]\n" + line("clients = 2", "client-1 and client-2");
  text += line("lease = \"10s\"", "asked for with the lock; not every lock has one");
  text += line("work = [\"read\", \"hold 5s\", \"write\"]", "what each does inside");
  text += "\n" + line("[[client]]", "where one differs from the others");
  text += "name = \"client-2\"\n" + line("start = \"1s\"", "so client-1 comes first");
  text += "\n[servers]\n" + line(fmt::format("{} = {}", servers.service, servers.count),
                                 servers.ensemble
                                     ? fmt::format("one ensemble; {}-{} leads at first", servers.service, servers.count)
                                     : fmt::format("{}-1 and so on", servers.service));
  if (!servers.replica.empty() && !servers.ensemble) {
    text += fmt::format("\n[[server]]\nname = \"{}\"\n", servers.replica);
    text += line(fmt::format("replica_of = \"{}-1\"", servers.service),
                 fmt::format("clients talk to {}-1", servers.service));
  }
  if (algorithm.name == "fenced-token") {
    text += "\n[resource]\n" + line("fencing = \"all\"", "it refuses older tokens");
  }
  return text;
}

Execution run_of(const std::string& file, const std::string& text) {
  const harness::Scenario scenario = harness::parse_scenario(file, text);
  return execute(scenario, WorldKind::simulated, scenario.seed);
}

/// As a placement calls it: what releases the lock. Some locks are never freed if the first one fails.
std::string last_command(const harness::History& history) {
  std::string verb;
  for (const harness::Event& event : history.events) {
    const bool sent = event.what == harness::What::send && history.host_name(event.host) == "client-1";
    if (sent) verb = event.command->verb();
  }
  return verb;
}

std::string fault_text(const FaultRow& fault, const Servers& servers, const std::string& command) {
  std::string text = "\n" + line("[[fault]]", "others: lockproof list faults");
  text += line(fmt::format("kind = \"{}\"", fault.name), fault.brief);
  for (const FaultRow::Example& one : fault.example) {
    if (one.toml.empty()) continue;
    const std::string toml =
        fmt::format(fmt::runtime(one.toml), fmt::arg("server", fmt::format("{}-1", servers.service)),
                    fmt::arg("replica", servers.replica), fmt::arg("command", command));
    text += line(toml, one.comment);
  }
  return text;
}

/// What one run of it shows, for its author to change into what it should show.
std::string expect_text(const Execution& run) {
  std::string violated;
  for (const check::ComparedFinding& compared : run.report.properties) {
    const check::Finding& found = compared.finding;
    if (found.verdict != check::Verdict::violated) continue;
    violated += fmt::format("{} = \"{}\"\n", found.property, found.kind.empty() ? "violated" : found.kind);
  }
  const char* const comment = "what its run showed: put here what you expect";
  if (violated.empty()) return "\n[expect]\n" + line("run = \"no-violation\"", comment);
  return "\n" + line("[expect.run]", comment) + violated;
}

void refuse_if_there(const std::string& file) {
  std::error_code failed;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, failed))) {
    throw harness::InputError(file, 0, "is there already, and stays as it is; give another name");
  }
}

void refuse_what_is_no_name(const std::string& name) {
  const std::string last = std::filesystem::path(name).filename().string();
  if (last.empty() || last == "." || last == ".." || last == ".toml" || last == ".lua") {
    throw harness::InputError(name.empty() ? "''" : name, 0, "is no name for a file; give one, such as my-lock");
  }
}

/// A lock of a person's own, and no scenario.
int write_lock(const std::string& file, const Arguments& arguments) {
  if (!arguments.algorithm.empty() || !arguments.fault.empty()) {
    throw harness::InputError(file, 0, "is to be a lock, and --algorithm and --fault are for scenarios");
  }
  refuse_if_there(file);
  const std::string service = arguments.service.empty() ? "redis" : arguments.service;
  const std::string text = harness::text_of(first_locks().at(service));
  write_file(file, text);
  const std::string scenario = std::filesystem::path(file).replace_extension().string();
  const std::string next = fmt::format("lockproof new {} --algorithm {} --fault pause", harness::shell_word(scenario),
                                       harness::shell_word(file));
  fmt::print("{}\nwritten: {}\n{}\n", text, file, style_of_stdout().command("a scenario for it: ", next));
  return check::exit_code::met;
}

}  // namespace

int new_command(const Arguments& arguments) {
  refuse_what_is_no_name(arguments.paths.front());
  if (harness::is_lock_file(arguments.paths.front())) return write_lock(arguments.paths.front(), arguments);
  if (!arguments.service.empty()) {
    throw harness::InputError("--server", 0, "is for a lock of your own, NAME.lua: a scenario has its lock's");
  }
  if (arguments.algorithm.empty()) {
    throw harness::InputError("--algorithm", 0,
                              "is needed for a scenario: one of lockproof list algorithms, or a file in Lua");
  }
  const harness::AlgorithmRef lock = harness::algorithm_from(arguments.algorithm);
  const Algorithm& algorithm = *lock;
  const auto known = harness::fault_table();
  const auto found = std::ranges::find(known, arguments.fault, &FaultRow::name);
  const FaultRow* const fault = found == known.end() ? nullptr : &*found;
  const harness::ServiceRow& service = harness::row_of(algorithm.service);
  if (fault && !harness::can_have(service, fault->kind)) {
    throw harness::InputError(
        "--fault", 0,
        fmt::format("{} cannot happen to {}, on which {} is kept", fault->name, service.name, algorithm.name));
  }
  const Servers servers = servers_of(algorithm, fault);
  const std::string& name = arguments.paths.front();
  const std::string file = name.ends_with(".toml") ? name : name + ".toml";
  refuse_if_there(file);
  const std::string title =
      fault ? fmt::format("{}, and {}", algorithm.name, fault->brief) : std::string(algorithm.name);
  std::string text = without_fault(algorithm, servers, title, std::filesystem::path(file).parent_path().string());
  if (fault) text += fault_text(*fault, servers, last_command(run_of(file, text).history));
  text += expect_text(run_of(file, text));
  write_file(file, text);
  const std::string next = "lockproof run " + harness::shell_word(file);
  fmt::print("{}\nwritten: {}\n{}\n", text, file, style_of_stdout().command("run it: ", next));
  return check::exit_code::met;
}

}  // namespace lockproof::cli
