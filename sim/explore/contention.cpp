// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/contention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::sim {
namespace {

using harness::Contention;
using harness::Scenario;

constexpr std::uint64_t part_freely = 1, part_timed = 2;  // the parts of a checkpoint

bool is_timed(const check::Property& property) {
  return property.bound == &Scenario::takeover || property.bound == &Scenario::progress ||
         property.bound == &Scenario::waiting || property.bound == &Scenario::available;
}

bool is_timed(const std::string& name) {
  return std::ranges::any_of(check::properties(), [&](const auto& p) { return p.name == name && is_timed(p); });
}

/// The scenario without bounds that a client can break by not asking.
Scenario untimed(Scenario scenario) {
  scenario.takeover.reset();
  scenario.progress.reset();
  scenario.waiting.reset();
  scenario.available.reset();
  return scenario;
}

/// Adds the result of the search with clients that ask as written, for properties with a bound in time.
void add_timed(Exploration& all, Exploration timed) {
  all.states += timed.states;
  all.transitions += timed.transitions;
  all.terminal += timed.terminal;
  all.bytes = std::max(all.bytes, timed.bytes);
  all.depth = std::max(all.depth, timed.depth);
  all.timed_states = timed.states;
  all.timed = Exploration::Timed{timed, {}};
  for (auto& [way, broken] : timed.broken) {
    broken.as_written = true;
    if (is_timed(way.first)) all.broken.insert_or_assign(way, std::move(broken));
  }
  for (auto& [with, broken] : timed.by_faults) {
    broken.as_written = true;
    if (is_timed(with.first.first)) all.by_faults.insert_or_assign(with, std::move(broken));
  }
  for (const std::string& name : timed.judged) {
    if (is_timed(name) && all.judged.insert(name).second) all.timed->judged.insert(name);
  }
  if (!all.judged.contains("deadlock-freedom")) all.probes_stopped = std::move(timed.probes_stopped);
  if (timed.complete) return;
  all.complete = false;
  all.stopped = std::move(timed.stopped);
  all.reached = timed.reached;
  all.probed = timed.probed;
  all.saved = timed.saved;
  all.not_saved = std::move(timed.not_saved);
}

/// A checkpoint begins with the number of its part.
Limits of_part(const Limits& limits, std::uint64_t part) {
  Limits own = limits;
  own.resume = nullptr;
  if (limits.save) {
    own.save = [&limits, part](const WriteCheckpoint& write) {
      limits.save([&](CheckpointOut& out) {
        out.number(part);
        write(out);
      });
    };
  }
  return own;
}

}  // namespace

void contend(Scenario& scenario, Contention contention) {
  // A period sets its own begin. When a program asks is part of its history: to let it ask at any instant would only
  // make as many programs of it.
  const bool freely = contention != Contention::as_written && !scenario.period && !scenario.program;
  scenario.contention = freely ? contention : Contention::as_written;
  for (harness::ClientSpec& client : scenario.clients) {
    client.plan.asking = freely ? harness::Asking::freely : harness::Asking::polls;
    client.plan.counts_refusals = !freely || scenario.algorithm->refusal_writes;
  }
}

Scenario as_written(Scenario scenario) {
  contend(scenario, Contention::as_written);
  return scenario;
}

Scenario asking_sooner(Scenario scenario) {
  contend(scenario, Contention::adversarial);
  if (scenario.contention == Contention::as_written) return scenario;
  for (harness::ClientSpec& client : scenario.clients) client.plan.asking = harness::Asking::polls_or_sooner;
  return scenario;
}

const Tested& tested(const Exploration& found, const std::string& property) {
  const bool apart = found.timed && found.timed->judged.contains(property);
  return apart ? static_cast<const Tested&>(*found.timed) : found;
}

void require_searchable(const Scenario& scenario) {
  for (const harness::Fault& fault : scenario.faults) {
    const bool by_lock = fault.when && fault.when->state != harness::When::LockState::any;
    if (!by_lock && !fault.until) continue;
    throw harness::InputError(
        scenario.file, fault.line,
        fmt::format("this {} {}, which a search does not know; lockproof run can do it, also with --runs",
                    name(fault.kind), by_lock ? "is placed by whose the lock is" : "ends at an event"));
  }
}

Exploration explore_contended(const Scenario& scenario, const Limits& limits, const Search& search) {
  require_searchable(scenario);
  const bool timed = scenario.takeover || scenario.progress || scenario.waiting || scenario.available;
  if (scenario.contention == Contention::as_written || !timed) return search(scenario, limits);
  const std::uint64_t resumed = limits.resume ? limits.resume->number() : 0;
  Limits freely = of_part(limits, part_freely), as_file = of_part(limits, part_timed);
  (resumed == part_timed ? as_file : freely).resume = limits.resume;
  freely.probe_clients = !scenario.progress;
  Exploration found = search(untimed(scenario), freely);
  if (!found.probes_stopped.empty()) {
    found.complete = false;
    found.stopped = found.probes_stopped;
  }
  if (!found.complete) return found;
  as_file.graph = nullptr;
  add_timed(found, search(as_written(scenario), as_file));
  return found;
}

}  // namespace lockproof::sim
