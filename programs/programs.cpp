// SPDX-License-Identifier: Apache-2.0
#include "programs/programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>

#include "harness/scenario/services.hpp"
#include "harness/scenario/simulated_addresses.hpp"
#include "programs/refusal.hpp"
#include "programs/runtime.hpp"
#include "real/program/start.hpp"

namespace lockproof::programs {

using harness::Scenario;

namespace {

constexpr std::int64_t uptime_ns = 1'000'000'000'000'000;  // what a monotonic clock shows as the scenario begins
constexpr std::int64_t ns_in_us = 1'000;
constexpr std::int64_t kernel_tick_ns = 20'000'000;  // by which the times of files may be behind the clock

std::int64_t machine_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::vector<std::string> addresses(std::size_t first_port, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(fmt::format("{}:{}", harness::simulated_host, first_port + i));
  return all;
}

/// "client-1", or, of a program of its own, "client-1 round 2".
std::string name_of(const std::string& client, int round) {
  return round == 1 ? client : fmt::format("{} round {}", client, round);
}

/// The same for the same client in every form of the scenario; another one for another client, or for a program of its
/// own in another round.
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t seed = 1;
  for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
  return seed;
}

}  // namespace

Programs::Programs(std::size_t live) : live_(live), made_ns_(machine_ns()) {}

harness::VirtualProgram& Programs::program_of(const Scenario& scenario, std::size_t client, int round) {
  const harness::ClientSpec& spec = scenario.clients[client];
  const std::string name = name_of(spec.name, round);
  const std::string key =
      fmt::format("{}\n{}\n{}\n{} {}\n{}", name, scenario.lock, spec.plan.lease->count(), scenario.servers.size(),
                  harness::watches_of_sentinels(scenario).size(), spec.clock.wall.count());
  const std::lock_guard guard(mutex_);
  std::unique_ptr<Program>& known = programs_[key];
  if (!known) {
    std::vector<std::string> servers = addresses(harness::first_server_port, scenario.servers.size());
    const std::vector<std::string> sentinels =
        addresses(harness::first_sentinel_port, harness::watches_of_sentinels(scenario).size());
    const std::string told = fmt::format("{}", fmt::join(servers, ",")),
                      told_sentinels = fmt::format("{}", fmt::join(sentinels, ","));
    servers.insert(servers.end(), sentinels.begin(), sentinels.end());
    Launch launch{name,
                  real::start_of(scenario, client, told, janitor_.folder(), {}, told_sentinels),
                  {seed_of(name), uptime_ns, (Duration(harness::epoch) + spec.clock.wall).count() * ns_in_us,
                   scenario.program->pauses == harness::ProgramPauses::sends, made_ns_ - kernel_tick_ns,
                   std::filesystem::path(janitor_.folder()).filename().string()},
                  std::move(servers),
                  {}};
    launch.flags = flags_for(launch.start.path);
    auto& words = launch.start.arguments;
    words.insert(words.begin() + 1, launch.flags.begin(), launch.flags.end());
    known = std::make_unique<Program>(std::move(launch), live_);
  }
  return *known;
}

harness::ExecutedPrograms Programs::executed() {
  const std::lock_guard guard(mutex_);
  harness::ExecutedPrograms all;
  all.noticed = noticed_;
  for (const auto& [key, program] : programs_) {
    harness::ProgramEffort one = program->executed();
    if (all.library.empty()) all.library = one.library;
    all.steps += one.steps;
    all.again += one.again;
    all.started += one.started;
    all.copied += one.copied;
    all.noticed.merge(one.noticed);
    all.seeds.emplace(program->launch().client, program->launch().origin.seed);
  }
  if (programs_.empty()) return all;
  const Launch& launch = programs_.begin()->second->launch();
  all.runtime = version_of(launch.start.path);
  all.flags = launch.flags;
  return all;
}

void Programs::add_lack(const std::string& words) {
  const std::lock_guard guard(mutex_);
  noticed_.insert({words, harness::Remark::Kind::lack});
}

void put_in_virtual_time(Scenario& scenario, std::size_t live) {
  if (scenario.algorithm->service != Service::redis) {
    throw Refusal(fmt::format(
        "{}: {} is a program on {}, which virtual time has no server for: a program sends what it likes, and of "
        "the simulated servers only Redis's answers more than its locks ask. Run it with lockproof real, and "
        "expect its verdicts under [expect.real]",
        scenario.file, scenario.algorithm->name, harness::row_of(scenario.algorithm->service).name));
  }
  scenario.program->in_virtual_time.programs = std::make_shared<Programs>(live);
}

}  // namespace lockproof::programs
