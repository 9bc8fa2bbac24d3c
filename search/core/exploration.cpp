// SPDX-License-Identifier: Apache-2.0
#include "search/core/exploration.hpp"

#include <algorithm>
#include <functional>

#include "search/core/checkpoint.hpp"
#include "search/core/contention.hpp"

namespace lockproof::sim {
namespace {

void write(CheckpointOut& out, const ViolationKind& way, const ShortestViolation& broken) {
  out.text(way.first);
  out.text(way.second);
  out.numbers<std::uint16_t>(broken.choices);
  out.place({broken.faults, broken.depth});
}

std::pair<ViolationKind, ShortestViolation> read(CheckpointIn& in, bool reduced) {
  std::string property = in.text();
  ViolationKind way{std::move(property), in.text()};
  ShortestViolation broken{in.numbers<std::uint16_t>(), reduced};
  std::tie(broken.faults, broken.depth) = in.place();
  return {std::move(way), std::move(broken)};
}

}  // namespace

bool are_enough(const Exploration& found, const ViolationKind& way, const std::vector<int>& counts) {
  return std::ranges::any_of(found.by_faults, [&](const auto& known) {
    const auto& [of, fewer] = known.first;
    return of == way && std::ranges::equal(fewer, counts, std::less_equal{});
  });
}

void keep_fewest(Exploration& found) {
  for (auto one = found.by_faults.begin(); one != found.by_faults.end();) {
    auto node = found.by_faults.extract(one++);
    if (!are_enough(found, node.key().first, node.key().second)) found.by_faults.insert(std::move(node));
  }
}

void write_broken(const Exploration& found, CheckpointOut& out) {
  out.number(found.broken.size());
  for (const auto& [way, broken] : found.broken) write(out, way, broken);
  out.number(found.by_faults.size());
  for (const auto& [with, broken] : found.by_faults) {
    write(out, with.first, broken);
    out.numbers<int>(with.second);
  }
}

void read_broken(CheckpointIn& in, bool reduced, Exploration& into) {
  for (std::uint64_t left = in.number(); left > 0; --left) into.broken.insert(read(in, reduced));
  for (std::uint64_t left = in.number(); left > 0; --left) {
    auto [way, broken] = read(in, reduced);
    into.by_faults.emplace(std::pair(std::move(way), in.numbers<int>()), std::move(broken));
  }
}

void save(const Limits& limits, const WriteCheckpoint& write, Exploration& into) {
  if (!limits.save) return;
  try {
    limits.save(write);
    into.saved = true;
  } catch (const CheckpointError& e) {
    into.not_saved = e.what();
  }
}

harness::Scenario bounded(harness::Scenario scenario, const harness::Bounds& bounds, bool alone) {
  for (harness::ClientSpec& client : scenario.clients) {
    if (bounds.rounds) client.plan.rounds = *bounds.rounds;
    if (bounds.attempts) client.plan.attempts = bounds.attempts;
    client.plan.failed_attempts = bounds.failed_attempts;
    if (bounds.start) client.plan.start = *bounds.start, client.plan.start_latest.reset();
    if (bounds.retry) client.plan.retry = bounds.retry;
  }
  if (bounds.latency) scenario.network.latency = *bounds.latency;
  if (bounds.grid) scenario.grid = *bounds.grid;
  if (alone) {
    scenario.faults.clear();
    scenario.steps.clear();
  }
  // The states of programs are their histories, so those of one that goes on for ever have no end.
  if (!scenario.program) scenario.horizon = Duration(std::int64_t{1} << 56);
  contend(scenario, bounds.contention);
  return scenario;
}

}  // namespace lockproof::sim
