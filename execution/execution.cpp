// SPDX-License-Identifier: Apache-2.0
#include "execution/execution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>
#include <utility>

#include "harness/check/lateness.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/report/answers/explained.hpp"
#include "harness/report/text/shell_word.hpp"
#include "real/errors.hpp"
#include "real/run/learned_run.hpp"
#include "real/run/run.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {

namespace {

Execution judged(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed, harness::History history,
                 check::RealFindings findings) {
  const bool simulated = world == WorldKind::simulated;
  Execution execution;
  harness::RunReport& report = execution.report;
  report.describe(scenario);
  report.world = simulated ? "simulated" : "real";
  report.seed = seed;
  report.reproduce =
      fmt::format("lockproof {} {} --seed {}", simulated ? "run" : "real", harness::shell_word(scenario.called), seed);
  report.events = history.events.size();
  report.late_us = history.header.late_us;
  auto expected = check::expected_of(scenario, simulated ? &harness::Expect::run : &harness::Expect::real);
  const bool undecided = scenario.program && scenario.program->known_key.is_undecided();
  if (undecided && !expected) expected.emplace();  // that it cannot be judged is not left unsaid
  report.properties = check::compare(std::move(findings), expected);
  if (!simulated && scenario.program) report.key = scenario.program->known_key;
  execution.history = std::move(history);
  return execution;
}

real::Options options_of(std::uint64_t seed, const RealServers& servers) {
  constexpr std::int64_t rare_look_ns = 10'000'000;
  real::Options options{.seed = seed, .external = servers.external, .programs = servers.programs};
  if (servers.traced) options.look_ns = rare_look_ns;
  return options;
}

/// With the key of its program's lock, which a real run must know before it begins. If nobody gets the lock without any
/// fault, that run is the answer.
std::optional<Execution> learn(harness::Scenario& scenario, std::uint64_t seed, const RealServers& servers) {
  real::LearnedRun run = real::learn_key(scenario, options_of(seed, servers));
  scenario.program->known_key = std::move(run.key);
  if (!check::is_never_granted(scenario)) return std::nullopt;
  check::RealFindings findings = check::judge_real(run.history, scenario);
  return judged(scenario, WorldKind::real, seed, std::move(run.history), std::move(findings));
}

Execution once(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed, const RealServers& servers) {
  harness::History history =
      world == WorldKind::simulated ? sim::run(scenario, seed) : real::run(scenario, options_of(seed, servers));
  check::RealFindings findings = check::judge_real(history, scenario);  // a simulated run is never late
  return judged(scenario, world, seed, std::move(history), std::move(findings));
}

std::string lateness(const Execution& execution) {
  return fmt::format("processes or servers were up to {:.1f} ms late",
                     static_cast<double>(execution.report.late_us.value_or(0)) / 1000);
}

std::string why_undecided(std::size_t runs, const Execution& execution) {
  if (runs == 1) return "the machine may be the reason: " + lateness(execution);
  return fmt::format("this machine was too busy in {} runs; in the last, {}", runs, lateness(execution));
}

/// "mutual-exclusion no violation, expected double-grant"
std::string missed(const std::vector<check::ComparedFinding>& properties) {
  std::vector<std::string> parts;
  for (const check::ComparedFinding& c : properties) {
    if (c.met == check::Agreement::yes) continue;
    parts.push_back(
        fmt::format("{} {}, expected {}", c.finding.property, text_of(c.finding), check::text_of(c.expected)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Execution until_on_time(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                        const RealServers& servers) {
  const bool stated = scenario.expect.real || (scenario.program && scenario.expect.empty());
  std::vector<std::string> repeated;
  for (;;) {
    Execution execution = once(scenario, world, seed, servers);
    auto& properties = execution.report.properties;
    const bool late = check::too_late(execution.history);
    const bool again = late && check::worth_another_try(properties, stated);
    if (again && repeated.size() + 1 < check::attempts_most) {
      repeated.push_back(fmt::format("{}: {}", lateness(execution), missed(properties)));
      continue;
    }
    if (late) check::leave_undecided(properties, stated, why_undecided(repeated.size() + 1, execution));
    execution.report.repeated = std::move(repeated);
    return execution;
  }
}

Execution with_known_key(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                         const RealServers& servers) {
  const bool learns =
      world == WorldKind::real && scenario.program && scenario.program->known_key.source == harness::KeySource::unasked;
  if (!learns) return until_on_time(scenario, world, seed, servers);
  harness::Scenario known = scenario;
  std::optional<Execution> never_granted = learn(known, seed, servers);
  return never_granted ? *std::move(never_granted) : until_on_time(known, world, seed, servers);
}

}  // namespace

Duration real_time_most(const harness::Scenario& scenario) {
  const auto learning = scenario.program ? real::learning_ns_most(scenario) : 0;
  const auto attempts = static_cast<std::int64_t>(check::attempts_most);
  return std::chrono::ceil<Duration>(std::chrono::nanoseconds(learning + attempts * real::machine_ns_most(scenario)));
}

void leave_unstated(harness::RunReport& report) {
  for (check::ComparedFinding& compared : report.properties) {
    if (compared.met == check::Agreement::no || compared.finding.verdict == check::Verdict::unknown) continue;
    compared.met = check::Agreement::unstated;
    compared.expected.clear();
  }
}

Execution not_run(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed, const std::string& reason) {
  check::RealFindings findings{check::all_unknown(reason), {}};
  findings.excused.assign(findings.all.size(), false);
  return judged(scenario, world, seed, {}, std::move(findings));
}

Execution execute(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed, const RealServers& servers) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    Execution execution = with_known_key(scenario, world, seed, servers);
    execution.report.happened = harness::first_sentence(execution.history, execution.report.properties);
    execution.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return execution;
  } catch (const real::UnsupportedFeature& e) {
    return not_run(scenario, world, seed, e.what());
  }
}

}  // namespace lockproof::execution
