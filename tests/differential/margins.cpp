// SPDX-License-Identifier: Apache-2.0
#include "tests/differential/margins.hpp"

#include <algorithm>
#include <vector>

#include "harness/check/lateness.hpp"
#include "harness/check/properties.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/run.hpp"

namespace lockproof::tests {
namespace {

using harness::FaultKind;

constexpr std::uint64_t runs = 150;  // of each of the three kinds
constexpr std::uint64_t stops = 60;  // of each host in a run

/// The most that something is late by: what is allowed, or a half of that, down to a sixteenth, since small delays
/// meet where large ones miss each other.
Duration lateness(const harness::Scenario& s, std::uint64_t seed) {
  return Duration(check::late_us_allowed * s.speedup / (std::int64_t{1} << seed % 5));
}

/// A client stands at its event until the supervisor has struck other hosts there; what had left goes on meanwhile.
void stand_at_events(harness::Scenario& s, Duration late) {
  const auto clients = s.host_names(true, false);
  const auto is_of_a_client = [&](const std::string& host) { return std::ranges::count(clients, host) > 0; };
  std::vector<harness::Fault> all;
  for (harness::Fault& fault : s.faults) {
    const bool elsewhere = fault.when && is_of_a_client(fault.when->actor) && fault.target != fault.when->actor;
    if (elsewhere && fault.delay == Duration{}) {
      harness::Fault stands;
      stands.target = fault.when->actor;
      stands.when = fault.when;
      stands.lasts = late;
      fault.delay = late - Duration(1);
      all.push_back(std::move(stands));
    }
    all.push_back(std::move(fault));
  }
  s.faults = std::move(all);
}

/// Somewhere between nothing and this.
milliseconds some_of(sim::RandomBits& bits, Duration most) {
  return milliseconds(bits.below(static_cast<std::uint64_t>(most / milliseconds(1)) + 1));
}

/// Servers take longer to start.
void strike_late(std::vector<harness::Fault>& faults, Duration most, sim::RandomBits& bits) {
  for (harness::Fault& fault : faults) {
    const bool starts = fault.kind == FaultKind::restart || fault.kind == FaultKind::power_cut;
    if (fault.at) *fault.at += some_of(bits, most);
    if (fault.delay != Duration{}) fault.delay += some_of(bits, most);
    if (fault.lasts != Duration{}) fault.lasts += some_of(bits, most * (starts ? 20 : 1));
    if (fault.kind == FaultKind::delay) fault.by += some_of(bits, most);
  }
}

/// Faults are late, and nothing else is: what a signal or the end of a server takes.
harness::Scenario struck_late(harness::Scenario s, std::uint64_t seed) {
  sim::RandomBits bits(seed);
  strike_late(s.faults, lateness(s, seed), bits);
  return s;
}

/// Each delay is somewhere between none and the most that a run on time has. Replicas take longer to copy.
harness::Scenario jittered(harness::Scenario s, std::uint64_t seed) {
  sim::RandomBits bits(seed);
  const Duration most = lateness(s, seed);
  const auto late = [&] { return some_of(bits, most); };
  s.network.latency = {milliseconds(1), most};
  s.network.replication = {milliseconds(1), bits.below(2) == 0 ? most : most * 10};
  for (harness::ClientSpec& client : s.clients) {
    client.plan.start += late();
    for (harness::Work& work : client.plan.work) {
      if (work.kind == harness::Work::Kind::hold) work.lasts += late();
    }
  }
  strike_late(s.faults, most, bits);
  if (bits.below(2) == 0) stand_at_events(s, milliseconds(1) + late());
  return s;
}

/// The same on hosts that do not get a processor now and then: whatever is due meanwhile is late.
harness::Scenario interrupted(harness::Scenario s, std::uint64_t seed) {
  sim::RandomBits bits(seed);
  const Duration most = lateness(s, seed);
  const auto below = [&](Duration d) { return Duration(1 + bits.below(static_cast<std::uint64_t>(d.count()))); };
  for (const std::string& host : s.host_names(true, true)) {
    for (std::uint64_t i = 0; i < stops; ++i) {
      harness::Fault stop;
      stop.target = host;
      stop.at = below(seconds(20));
      stop.lasts = below(most);
      s.faults.push_back(std::move(stop));
    }
  }
  return s;
}

/// Stops that come when a client has finished make a run vacuous, and say nothing of the scenario.
Verdicts without_vacuity(Verdicts verdicts) {
  verdicts.erase("exercised");
  return verdicts;
}

}  // namespace

Verdicts verdicts(const harness::History& history, const harness::Scenario& scenario) {
  Verdicts all;
  for (const check::Finding& finding : check::judge(history, scenario)) {
    all[finding.property] =
        std::string(name(finding.verdict)) + (finding.kind.empty() ? "" : " (" + finding.kind + ")");
  }
  return all;
}

std::string shown(const Verdicts& verdicts) {
  std::string text;
  for (const auto& [property, verdict] : verdicts) {
    if (verdict != name(check::Verdict::not_found)) text += (text.empty() ? "" : ", ") + property + " " + verdict;
  }
  return text.empty() ? "nothing found" : text;
}

std::optional<Verdicts> decided(const harness::Scenario& scenario) {
  const Verdicts plain = verdicts(sim::run(scenario, 1), scenario);
  for (std::uint64_t i = 1; i <= runs; ++i) {
    const harness::Scenario later = jittered(scenario, i), stopped = interrupted(later, i);
    const harness::Scenario struck = struck_late(scenario, i);
    if (verdicts(sim::run(later, i), later) != plain || verdicts(sim::run(struck, i), struck) != plain) {
      return std::nullopt;
    }
    if (without_vacuity(verdicts(sim::run(stopped, i), stopped)) != without_vacuity(plain)) return std::nullopt;
  }
  return plain;
}

}  // namespace lockproof::tests
