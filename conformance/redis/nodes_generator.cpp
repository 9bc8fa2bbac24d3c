// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/nodes_generator.hpp"

#include <algorithm>

#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {
namespace {

/// How likely each of the possible steps is.
constexpr std::uint64_t nothing = 400, clocks = 220, jumps = 25, reconnects = 12, delivers = 150, loads = 100,
                        copies = 80, first_follows = 60, follows = 2, promotions = 4, failovers = 12, restarts = 4,
                        power_cuts = 4, evictions = 12;

/// Commands that keep a connection waiting are drawn for one node only.
bool is_wait(const Step& step) {
  const Value& verb = step.words[0];
  return sim::redis::is_word(verb, "WAIT") || sim::redis::is_word(verb, "CLIENT");
}

bool writes(const Step& step) {
  const auto& table = sim::redis::command_table();
  return std::ranges::any_of(
      table, [&](const auto& rule) { return rule.writes && sim::redis::is_word(step.words[0], rule.verb); });
}

}  // namespace

std::optional<Step> NodesGenerator::between(const ModelNodes& model) {
  Weighted all;
  add_links(model, all);
  add_faults(model, all);
  all.emplace_back(clocks, clock(model));
  all.emplace_back(jumps, jump(model));
  const int node = below(node_count);
  all.emplace_back(reconnects, Step{.kind = Step::Kind::reconnect, .node = node, .connection = below(connections)});
  std::uint64_t sum = nothing;
  std::erase_if(all, [&](const auto& one) { return !model.possible(one.second); });
  for (const auto& [weight, step] : all) sum += weight;
  std::uint64_t at = random_.below(sum);
  for (const auto& [weight, step] : all) {
    if (at < weight) return step;
    at -= weight;
  }
  return std::nullopt;
}

void NodesGenerator::add_links(const ModelNodes& model, Weighted& all) {
  int replicas = 0;
  for (int i = 0; i < node_count; ++i) replicas += model.at(i).master != no_node;
  for (int i = 0; i < node_count; ++i) {
    const std::size_t comes = model.at(i).coming.size();
    const std::size_t some = comes > 1 && random_.below(2) == 0 ? 1 + random_.below(comes) : comes;
    all.emplace_back(delivers, Step{.kind = Step::Kind::deliver, .node = i, .count = some});
    all.emplace_back(loads, Step{.kind = Step::Kind::load, .node = i});
    all.emplace_back(copies, Step{.kind = Step::Kind::copy, .node = i});
    all.emplace_back(promotions, Step{.kind = Step::Kind::promote, .node = i});
    all.emplace_back(failovers, Step{.kind = Step::Kind::fail_over, .node = i});
    const Step follow{.kind = Step::Kind::follow, .node = i, .peer = below(node_count)};
    all.emplace_back(replicas < 2 ? first_follows : follows, follow);
  }
}

void NodesGenerator::add_faults(const ModelNodes& model, Weighted& all) {
  const int node = below(node_count);
  all.emplace_back(restarts, Step{.kind = Step::Kind::restart, .node = node});
  all.emplace_back(power_cuts, Step{.kind = Step::Kind::power_cut, .node = node});
  for (int i = 0; i < node_count; ++i) {
    for (const auto& [key, entry] : model.at(i).side.state().keys.entries()) {
      all.emplace_back(evictions, Step{.kind = Step::Kind::evict, .node = i, .key = key});
    }
    const int least = model.at(i).side.state().min_replicas;
    all.emplace_back(least > 0 ? 30 : 3,
                     Step{.kind = Step::Kind::min_replicas, .node = i, .min_replicas = least > 0 ? 0 : 1 + below(2)});
  }
}

/// Just before, at and just after the stamp of one of its keys; or any time from now.
std::int64_t NodesGenerator::moment(const ModelNodes::One& one) {
  std::vector<std::int64_t> due;
  for (const auto& [key, entry] : one.side.state().keys.entries()) {
    if (entry.expires_ms && *entry.expires_ms > 0 && *entry.expires_ms < epoch_ms + 100'000'000) {
      due.push_back(*entry.expires_ms);
    }
  }
  constexpr std::int64_t steps[] = {1, 1, 2, 10, 100, 500, 1000, 3000};
  if (due.empty() || random_.below(4) == 0) return one.now_ms() + steps[random_.below(std::size(steps))];
  return due[random_.below(due.size())] + static_cast<std::int64_t>(random_.below(3)) - 1;
}

/// Moves the clock of all nodes, and never back: the disk's times are counted by it.
Step NodesGenerator::clock(const ModelNodes& model) {
  const ModelNodes::One& one = model.at(below(node_count));
  const std::int64_t ahead_us = (moment(one) - one.now_ms()) * 1000;
  return {.kind = Step::Kind::clock, .clock_us = model.clock_us() + std::max<std::int64_t>(ahead_us, 1000)};
}

Step NodesGenerator::jump(const ModelNodes& model) {
  const int node = below(node_count);
  const std::int64_t by_ms = moment(model.at(node)) - model.at(node).now_ms();
  return {.kind = Step::Kind::jump, .node = node, .clock_us = (random_.below(4) == 0 ? -by_ms : by_ms) * 1000};
}

/// Masters that have replicas, and replicas, are asked most.
NodesGenerator::Run NodesGenerator::next_run(const ModelNodes& model) {
  int node = below(node_count);
  for (int tries = 0; tries < 2 && model.at(node).master == no_node && !model.has_replicas(node); ++tries) {
    node = below(node_count);
  }
  const int master = model.at(node).master;
  if (master != no_node && random_.below(2) == 0) node = master;
  return {node, below(connections), 1 + random_.below(12)};
}

Step NodesGenerator::command(const ModelNodes& model, const Run& run) {
  const ModelNodes::One& one = model.at(run.node);
  Step step = commands_.command(one.side, run.connection);
  const bool refuses = one.master != no_node && random_.below(10) > 0;  // most writes, or all would be READONLY
  while (is_wait(step) || (refuses && writes(step))) step = commands_.command(one.side, run.connection);
  step.node = run.node;
  return step;
}

}  // namespace lockproof::conformance::redis
