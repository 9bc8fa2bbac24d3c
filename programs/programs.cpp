// SPDX-License-Identifier: Apache-2.0
#include "programs/programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/program/said.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "programs/runtime.hpp"
#include "real/program/start.hpp"

namespace lockproof::programs {

using harness::InputError;
using harness::Scenario;

namespace {

constexpr int first_port = 6379;
constexpr std::int64_t uptime_ns = 1'000'000'000'000'000;  // what a monotonic clock shows as the scenario begins
constexpr std::int64_t ns_in_us = 1'000;

std::vector<std::string> addresses(const Scenario& scenario) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    all.push_back(fmt::format("127.0.0.1:{}", first_port + static_cast<int>(i)));
  }
  return all;
}

/// The same for the same client in every form of the scenario; another one for another client.
std::uint64_t seed_of(const std::string& client) {
  std::uint64_t seed = 1;
  for (const char c : client) seed = seed * 31 + static_cast<unsigned char>(c);
  return seed;
}

}  // namespace

harness::VirtualProgram& Programs::program_of(const Scenario& scenario, std::size_t client) {
  const harness::ClientSpec& spec = scenario.clients[client];
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", spec.name, scenario.lock, spec.plan.lease->count(),
                                      scenario.servers.size(), spec.clock.wall.count());
  const std::lock_guard guard(mutex_);
  std::unique_ptr<Program>& known = programs_[key];
  if (!known) {
    const std::vector<std::string> servers = addresses(scenario);
    Launch launch{spec.name,
                  real::start_of(scenario, client, fmt::format("{}", fmt::join(servers, ",")), janitor_.folder()),
                  {seed_of(spec.name), uptime_ns, (Duration(harness::epoch) + spec.clock.wall).count() * ns_in_us},
                  servers,
                  {}};
    launch.flags = flags_for(launch.start.path);
    auto& words = launch.start.arguments;
    words.insert(words.begin() + 1, launch.flags.begin(), launch.flags.end());
    known = std::make_unique<Program>(std::move(launch), live_);
  }
  return *known;
}

std::string Programs::summary() {
  const std::lock_guard guard(mutex_);
  if (programs_.empty()) return "";
  Executed all;
  std::vector<std::string> seeds;
  for (const auto& [key, program] : programs_) {
    const Launch& launch = program->launch();
    Executed one = program->executed();
    if (all.library.empty()) all.library = one.library;
    all.steps += one.steps;
    all.again += one.again;
    all.started += one.started;
    all.copied += one.copied;
    all.noticed.merge(one.noticed);
    seeds.push_back(fmt::format("{} {}", launch.client, launch.origin.seed));
  }
  const Launch& launch = programs_.begin()->second->launch();
  const std::string runtime = version_of(launch.start.path);
  std::string text = "in virtual time: " + (all.library.empty() ? "the program" : harness::shown(all.library));
  if (!runtime.empty()) text += ", by " + harness::shown(runtime);
  if (!launch.flags.empty()) text += fmt::format(", which got {}", fmt::join(launch.flags, " "));
  text += fmt::format("\n  {} steps of it were executed", all.steps);
  if (all.again > 0) text += fmt::format(", and {} again by another process, which did the same", all.again);
  text += fmt::format("; {} processes started, {} copied\n", all.started, all.copied);
  text += fmt::format("  its random numbers are those of one seed: {}\n", fmt::join(seeds, ", "));
  for (const std::string& what : all.noticed) text += fmt::format("  noticed: the program {}\n", harness::shown(what));
  return text;
}

void put_in_virtual_time(Scenario& scenario, std::size_t live) {
  scenario.program->in_virtual_time.programs = std::make_shared<Programs>(live);
}

}  // namespace lockproof::programs
