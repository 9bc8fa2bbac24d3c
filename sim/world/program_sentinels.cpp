// SPDX-License-Identifier: Apache-2.0
// The part of Process::Program for sentinels: they answer at once, with the master to which their client's addresses
// lead.
#include <fmt/format.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/scenario/simulated_addresses.hpp"
#include "sim/world/program_host.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::ProgramInput;

SentinelView Process::Program::view_of(std::size_t sentinel) const {
  const harness::Scenario& scenario = process_.world_.scenario();
  const std::vector<std::size_t> watches = harness::watches_of_sentinels(scenario);
  const harness::SentinelSpec& spec = scenario.sentinels.at(watches.at(sentinel));
  const auto watched = [&](const harness::ServerSpec& server) {
    return server.name == spec.master || server.replica_of == spec.master;
  };
  const auto named = static_cast<std::size_t>(
      std::ranges::find(scenario.servers, spec.master, &harness::ServerSpec::name) - scenario.servers.begin());
  const std::size_t master = process_.place(process_.routes_.at(named));
  SentinelView view{spec.master, harness::first_server_port + master, {}, {}, spec.quorum};
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    if (i != master && watched(scenario.servers[i])) view.replica_ports.push_back(harness::first_server_port + i);
  }
  for (std::size_t i = 0; i < watches.size(); ++i) {
    if (i != sentinel && watches[i] == watches[sentinel]) {
      view.other_sentinel_ports.push_back(harness::first_sentinel_port + i);
    }
  }
  return view;
}

void Process::Program::ask_sentinel(int connection, const Command& command) {
  auto answer = sentinel_answer(command, view_of(to_sentinels_.at(connection)));
  if (!answer) {
    const harness::Scenario& scenario = process_.world_.scenario();
    std::string words;
    for (const Value& word : command.args()) words += (words.empty() ? "" : " ") + word.bytes();
    throw harness::InputError(
        scenario.file, 0,
        fmt::format("{} asks a sentinel '{}', which the simulated sentinels do not know; use lockproof real",
                    scenario.algorithm->name, words));
  }
  if (command.verb() == "SUBSCRIBE") listening_.insert(connection);
  news_.push_back({ProgramInput::Kind::reply, connection, *std::move(answer)});
}

void Process::Program::switched(harness::HostIndex from, harness::HostIndex to) {
  if (process_.is_gone()) return;
  const auto port = [this](harness::HostIndex host) { return harness::first_server_port + process_.place(host); };
  for (const int connection : listening_) {
    const SentinelView view = view_of(to_sentinels_.at(connection));
    if (view.master_port != port(to)) continue;
    news_.push_back({ProgramInput::Kind::push, connection, switch_of_master(view.name, port(from), port(to))});
  }
}

}  // namespace lockproof::sim
