// SPDX-License-Identifier: Apache-2.0
// new: a scenario to begin with, which runs, and says in its comments what can be changed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "algorithms/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/output/output.hpp"
#include "execution/execution.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/input_error.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

using execution::execute;
using execution::Execution;
using execution::WorldKind;
using harness::FaultKind;

constexpr std::size_t column = 34;  // where comments begin

/// One key of a fault, as TOML, and what it means.
struct Line {
  const char* toml;
  const char* comment;
};
struct Template {
  FaultKind kind;
  const char* what;  // happens; the kind's own comment
  std::vector<Line> lines;
};

constexpr Line by_entering{"when = \"client-1 enters\"", "by an event; or by time: at = \"2s\""};
constexpr Line in_its_work{"at = \"2s\"", "while client-1 is inside; or by an event, as in when = \"client-1 enters\""};
constexpr Line client{"target = \"client-1\"", "or client-2"};
constexpr Line server{"target = \"redis-1\"", "where the lock is"};
// Of messages: the client's last command.
constexpr Line by_command{"when = \"client-1 before {}\"",
                          "its last command; a second one of this name: #2, or round 2"};

std::vector<Template> templates() {
  return {
      {FaultKind::pause, "the host stands still", {client, by_entering, {"for = \"11s\"", "longer than the lease"}}},
      {FaultKind::suspend,
       "the host is suspended, as a laptop is",
       {client, by_entering, {"for = \"11s\"", "longer than the lease"}}},
      {FaultKind::crash, "the process is gone", {client, by_entering}},
      {FaultKind::kill_task, "the worker is gone, its watchdog goes on", {client, by_entering}},
      {FaultKind::drop, "the connection dies silently", {client, by_command, {"lose = \"reply\"", "or \"request\""}}},
      {FaultKind::delay,
       "a message comes later, and all behind it",
       {client, by_command, {"late = \"request\"", "or \"reply\""}, {"by = \"11s\"", "longer than the lease"}}},
      {FaultKind::resend,
       "a reply is lost, and the driver asks again",
       {client, by_command, {"for = \"1s\"", "after this long"}}},
      {FaultKind::break_connection,
       "a connection ends, and both sides know",
       {client, {"peer = \"redis-1\"", "its other end"}, by_entering}},
      {FaultKind::partition,
       "nothing passes between two hosts",
       {client, {"peer = \"redis-1\"", "without it: all others"}, by_entering, {"for = \"11s\"", "then it heals"}}},
      {FaultKind::clock_jump,
       "a wall clock jumps",
       {server, in_its_work, {"by = \"+11s\"", "past the lease; or back, as in \"-1h\""}}},
      {FaultKind::clock_rate,
       "all clocks of a host run at another rate",
       {client,
        {"at = \"0s\"", "from the start"},
        {"rate = \"-50%\"", "half as fast"},
        {"for = \"30s\"", "without it: to the end"}}},
      {FaultKind::restart, "a server ends orderly", {server, in_its_work, {"for = \"1s\"", "then it is up again"}}},
      {FaultKind::power_cut, "a server ends at once", {server, in_its_work, {"for = \"1s\"", "then it is up again"}}},
      {FaultKind::failover, "a replica is promoted", {server, {"to = \"{}\"", "the replica"}, in_its_work}},
      {FaultKind::replication_stall,
       "a replica applies nothing",
       {{"target = \"{}\"", "the replica"}, in_its_work, {"for = \"11s\"", "then it catches up"}}},
      {FaultKind::evict, "a server evicts the lock's key", {server, in_its_work}},
      {FaultKind::flush, "a server loses all its keys", {server, in_its_work}},
      {FaultKind::script_flush, "a server forgets its scripts", {server, in_its_work}},
      {FaultKind::client_pause,
       "an operator's CLIENT PAUSE",
       {server, in_its_work, {"for = \"3s\"", "commands wait so long"}}},
  };
}

std::string line(const std::string& toml, std::string_view comment) {
  return fmt::format("{:<{}}  # {}\n", toml, column, comment);
}

bool needs_replica(std::optional<FaultKind> kind) {
  return kind == FaultKind::failover || kind == FaultKind::replication_stall;
}

constexpr int of_a_majority = 3;  // servers of Redlock

struct Servers {
  int count = 1;
  std::string replica;  // empty: none
};

Servers servers_of(const Algorithm& algorithm, std::optional<FaultKind> kind) {
  Servers servers;
  if (algorithm.servers == lockproof::Servers::all) servers.count = of_a_majority;
  if (algorithm.servers == lockproof::Servers::one_with_replica || needs_replica(kind)) {
    servers.replica = fmt::format("redis-{}", ++servers.count);
  }
  return servers;
}

std::string without_fault(const Algorithm& algorithm, const Servers& servers, const std::string& title) {
  std::string text = line(fmt::format("title = \"{}\"", title), "all keys: docs/reference/scenario.md");
  text += "\n[algorithm]\n" + line(fmt::format("name = \"{}\"", algorithm.name), "others: lockproof list algorithms");
  for (const Parameter& parameter : algorithm.parameters) {
    if (!parameter.needed) continue;
    text += line(fmt::format("{} = \"{}\"", parameter.name, harness::to_text(parameter.standard)), parameter.meaning);
  }
  text += "\n[workload]\n" + line("clients = 2", "client-1 and client-2");
  text += line("lease = \"10s\"", "asked for with the lock; not every lock has one");
  text += line("work = [\"read\", \"hold 5s\", \"write\"]", "what each does inside");
  text += "\n" + line("[[client]]", "where one differs from the others");
  text += "name = \"client-2\"\n" + line("start = \"1s\"", "so client-1 comes first");
  text += "\n[servers]\n" + line(fmt::format("redis = {}", servers.count), "redis-1 and so on");
  if (!servers.replica.empty()) {
    text += fmt::format("\n[[server]]\nname = \"{}\"\n", servers.replica);
    text += line("replica_of = \"redis-1\"", "clients talk to redis-1");
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

std::string fault_text(const Template& fault, const Servers& servers, const std::string& command) {
  std::string text = "\n" + line("[[fault]]", "others: lockproof list faults");
  text += line(fmt::format("kind = \"{}\"", harness::name(fault.kind)), fault.what);
  const std::string name = needs_replica(fault.kind) ? servers.replica : command;
  for (const Line& one : fault.lines) text += line(fmt::format(fmt::runtime(one.toml), name), one.comment);
  return text;
}

/// What one run of it shows, for its author to change into what it should show.
std::string expect_text(const Execution& run) {
  std::string violated;
  for (const check::Compared& compared : run.report.properties) {
    const check::Finding& found = compared.finding;
    if (found.verdict != check::Verdict::violated) continue;
    violated += fmt::format("{} = \"{}\"\n", found.property, found.kind.empty() ? "violated" : found.kind);
  }
  const char* const comment = "what its run showed: put here what you expect";
  if (violated.empty()) return "\n[expect]\n" + line("run = \"not-found\"", comment);
  return "\n" + line("[expect.run]", comment) + violated;
}

}  // namespace

int new_command(const Arguments& arguments) {
  const Algorithm& algorithm = *find_algorithm(arguments.algorithm);
  const std::vector<Template> known = templates();
  const auto fault =
      std::ranges::find_if(known, [&](const Template& one) { return harness::name(one.kind) == arguments.fault; });
  const bool strikes = fault != known.end();
  const Servers servers = servers_of(algorithm, strikes ? std::optional(fault->kind) : std::nullopt);
  const std::string& name = arguments.paths.front();
  const std::string file = name.ends_with(".toml") ? name : name + ".toml";
  std::error_code failed;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, failed))) {
    throw harness::InputError(file, 0, "is there already, and stays as it is; give another name");
  }
  const std::string title =
      strikes ? fmt::format("{}, and {}", algorithm.name, fault->what) : std::string(algorithm.name);
  std::string text = without_fault(algorithm, servers, title);
  if (strikes) text += fault_text(*fault, servers, last_command(run_of(file, text).history));
  text += expect_text(run_of(file, text));
  write_file(file, text);
  fmt::print("{}\nwritten: {}\nrun it: lockproof run {}\n", text, file, harness::shell_word(file));
  return check::exit_code::met;
}

}  // namespace lockproof::cli
