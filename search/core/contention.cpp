// SPDX-License-Identifier: Apache-2.0
#include "search/core/contention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/input_error.hpp"
#include "harness/scenario/names.hpp"
#include "search/core/as_written_search.hpp"

namespace lockproof::sim {
namespace {

using harness::Contention;
using harness::Scenario;

constexpr std::uint64_t part_freely = 1, part_written = 2;  // the parts of a checkpoint

bool starts_in_window(const harness::ClientSpec& client) { return client.plan.start_latest.has_value(); }

void mark_as_written(Exploration& found) {
  for (auto& [way, violation] : found.broken) violation.as_written = true;
  for (auto& [with, violation] : found.by_faults) violation.as_written = true;
}

/// Adds the violations of a search with clients that ask as written: those that the other search has not found, or with
/// more faults. `apart`: judged by this search alone.
void add_broken(Exploration& all, Exploration& written, const std::function<bool(const std::string&)>& apart) {
  mark_as_written(written);
  for (auto& [way, broken] : written.broken) {
    const auto known = all.broken.find(way);
    const bool better = known == all.broken.end() || broken.faults < known->second.faults;
    if (better || apart(way.first)) all.broken.insert_or_assign(way, std::move(broken));
  }
  for (auto& [with, broken] : written.by_faults) {
    const auto& [way, counts] = with;
    if (apart(way.first) || !are_enough(all, way, counts)) all.by_faults.insert_or_assign(with, std::move(broken));
  }
  keep_fewest(all);
}

/// Adds what only a search with clients that ask as written judges: properties with a bound in time.
void add_timed(Exploration& all, Exploration& polled, const Scenario& scenario) {
  all.states += polled.states;
  all.transitions += polled.transitions;
  all.terminal += polled.terminal;
  all.bytes = std::max(all.bytes, polled.bytes);
  all.depth = std::max(all.depth, polled.depth);
  all.timed_states = polled.states;
  all.timed = Exploration::TimedCoverage{polled, {}, polled.every_timing};
  for (const auto& [property, why] : polled.undecided) {
    if (is_timed(scenario, property)) all.undecided.emplace(property, why);
  }
  for (const std::string& name : polled.judged) {
    if (is_timed(scenario, name) && all.judged.insert(name).second) all.timed->judged.insert(name);
  }
  if (polled.complete || !all.complete) return;
  all.complete = false;
  all.stopped = std::move(polled.stopped);
  all.reached = polled.reached;
  all.probed = polled.probed;
  all.saved = polled.saved;
  all.not_saved = std::move(polled.not_saved);
}

void add_written(Exploration& all, Exploration written, const Scenario& scenario) {
  all.written = written.complete;
  add_bounds_in_time(all, std::move(written), scenario);
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

bool is_timed(const Scenario& scenario, const std::string& name) {
  return std::ranges::any_of(check::every_property(), [&](const check::Property& property) {
    return property.name == name && is_bounded_in_time(property, scenario);
  });
}

bool is_bounded_in_time(const check::Property& property, const Scenario& scenario) {
  const bool timed = property.bound == &Scenario::takeover || property.bound == &Scenario::progress ||
                     property.bound == &Scenario::waiting || property.bound == &Scenario::available ||
                     property.bound == &Scenario::entry || property.bound == &Scenario::settled;
  return timed && scenario.*property.bound;
}

bool states_bound_in_time(const Scenario& scenario) {
  return scenario.takeover || scenario.progress || scenario.waiting || scenario.available || scenario.entry ||
         scenario.settled;
}

Exploration without_free_asks(Exploration polled) {
  mark_as_written(polled);
  if (polled.complete) polled.stopped = polled.probes_stopped.empty() ? "it is enough" : polled.probes_stopped;
  polled.complete = false;
  polled.only_written = true;
  polled.probed.reset();
  return polled;
}

Scenario untimed(Scenario scenario) {
  scenario.takeover.reset();
  scenario.progress.reset();
  scenario.waiting.reset();
  scenario.available.reset();
  scenario.entry.reset();
  scenario.settled.reset();
  return scenario;
}

void contend(Scenario& scenario, Contention contention) {
  // A period sets its own begin. When a program asks is part of its history: to let it ask at any instant would only
  // make as many programs of it. The rule of asking looks at messages, and tasks of one process need none.
  const bool freely =
      contention != Contention::as_written && !scenario.period && !scenario.program && !scenario.shares_processes();
  scenario.contention = freely ? contention : Contention::as_written;
  for (harness::ClientSpec& client : scenario.clients) {
    client.plan.asking = freely ? harness::AskPolicy::freely : harness::AskPolicy::polls;
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
  for (harness::ClientSpec& client : scenario.clients) client.plan.asking = harness::AskPolicy::polls_or_sooner;
  return scenario;
}

const TestCoverage& tested(const Exploration& found, const std::string& property) {
  const bool apart = found.timed && found.timed->judged.contains(property);
  return apart ? static_cast<const TestCoverage&>(*found.timed) : found;
}

bool has_open_start(const Scenario& scenario) {
  return scenario.contention == Contention::as_written && std::ranges::any_of(scenario.clients, starts_in_window);
}

void require_start(const Scenario& scenario, std::string_view zones_lack) {
  if (!has_open_start(scenario)) return;
  const auto window = std::ranges::find_if(scenario.clients, starts_in_window);
  const bool is_told = scenario.explore && scenario.explore->contention == Contention::as_written;
  const std::string lack = zones_lack.empty() ? "" : fmt::format("; zones try every instant, but not {}", zones_lack);
  throw harness::InputError(scenario.file, 0,
                            fmt::format("{} starts in a window, of which a search tries only the first instant where "
                                        "clients ask as written{}{}; write one start, or more scenarios with one each",
                                        window->name, is_told ? " (contention = \"as-written\")" : "", lack));
}

void require_searchable(const Scenario& scenario) {
  require_start(scenario, "");
  if (scenario.network.latency.is_range) {
    throw harness::InputError(
        scenario.file, 0,
        fmt::format("latency = \"{}\" is a range, which explore --engine zones searches; write a list of two bounds to "
                    "try multiples of the grid",
                    harness::range_text(scenario.network.latency.least, scenario.network.latency.most)));
  }
  constexpr std::uint64_t amounts_most = 100'000;  // each of them is a state of its own, at least
  if (const auto amounts = scenario.network.latency.options(scenario.grid); amounts > amounts_most) {
    throw harness::InputError(scenario.file, 0,
                              fmt::format("the latency has {} amounts, and a search takes {} at most; write a narrower "
                                          "window, or a coarser grid in [explore]",
                                          amounts, amounts_most));
  }
  for (const harness::Fault& fault : scenario.faults) {
    const bool by_lock = fault.when && fault.when->state != harness::EventPlace::LockState::any;
    if (!by_lock && !fault.until) continue;
    throw harness::InputError(
        scenario.file, fault.line,
        fmt::format("this {} {}, which a search does not know; lockproof run can do it, also with --runs",
                    name(fault.kind), by_lock ? "is placed by whose the lock is" : "ends at an event"));
  }
}

void add_bounds_in_time(Exploration& all, Exploration polled, const Scenario& scenario) {
  if (states_bound_in_time(scenario) && (all.complete || polled.complete)) add_timed(all, polled, scenario);
  add_broken(all, polled, [&](const std::string& property) { return is_timed(scenario, property); });
}

Exploration explore_contended(const Scenario& scenario, const Limits& limits, const Search& search) {
  require_searchable(scenario);
  return explore_both_askings(scenario, limits, search);
}

Exploration explore_both_askings(const Scenario& scenario, const Limits& limits, const Search& search) {
  const bool timed = states_bound_in_time(scenario);
  const bool both = timed || limits.written_first;
  if (scenario.contention == Contention::as_written || !both) return search(scenario, limits);
  const std::uint64_t resumed = limits.resume ? limits.resume->number() : 0;
  Limits freely = of_part(limits, part_freely), as_file = of_part(limits, part_written);
  (resumed == part_written ? as_file : freely).resume = limits.resume;
  as_file.graph = nullptr;
  AsWrittenSearch written(as_written(scenario), as_file, search);
  const bool looks = limits.written_first && !limits.graph;
  if (resumed == part_written) {
    written.finish();
  } else if (looks) {
    written.look();
  }
  if (written.ends_all()) return without_free_asks(written.take());
  if (looks) {
    freely.go_on = [&](const Progress& progress) {
      written.look_again(AsWrittenSearch::steps(progress));
      return !written.ends_all() && (!limits.go_on || limits.go_on(progress));
    };
  }
  freely.probe_clients = !scenario.progress;
  Exploration found = search(untimed(scenario), freely);
  if (timed && !found.probes_stopped.empty()) {
    found.complete = false;
    found.stopped = found.probes_stopped;
  }
  if (timed && found.complete) written.finish();
  add_written(found, written.take(), scenario);
  return found;
}

}  // namespace lockproof::sim
