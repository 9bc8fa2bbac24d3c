// SPDX-License-Identifier: Apache-2.0
// Mutants of rules that only several nodes show.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "conformance/redis/model_nodes.hpp"
#include "conformance/redis/mutant_parts.hpp"
#include "sim/services/redis/commands.hpp"

namespace lockproof::conformance::redis {
namespace {

using Kind = Step::Kind;
using sim::redis::Dataset;

const sim::redis::CommandRule* rule_of(const IncomingCommand& asked) {
  const auto& table = sim::redis::command_table();
  const auto found = std::ranges::find_if(table, [&](const auto& rule) { return verb(asked, rule.verb); });
  return found == table.end() ? nullptr : &*found;
}

bool writes(const IncomingCommand& asked) {
  const auto* const rule = rule_of(asked);
  return rule && rule->writes;
}

/// Runs the command as if the node were a master, without replication.
NodeAnswer as_master(Node& node, const IncomingCommand& asked) {
  node.set_replica(false);
  NodeAnswer executed = plain(node, asked);
  node.set_replica(true);
  executed.propagated.clear();
  return executed;
}

NodeAnswer replica_shows_expired(Node& node, const IncomingCommand& asked) {
  constexpr std::int64_t long_ms = 100'000'000;
  const auto* const one = entry(node, asked);
  const bool hidden = node.state().replica && one && one->expired(asked.now_ms) && !writes(asked);
  return node.execute({asked.connection, asked.command, {asked.now_ms - (hidden ? long_ms : 0)}});
}

NodeAnswer replica_deletes_expired(Node& node, const IncomingCommand& asked) {
  return node.state().replica && !writes(asked) && !in_multi(node, asked) ? as_master(node, asked) : plain(node, asked);
}

NodeAnswer replica_takes_writes(Node& node, const IncomingCommand& asked) {
  return node.state().replica && writes(asked) ? as_master(node, asked) : plain(node, asked);
}

NodeAnswer replica_scripts_write(Node& node, const IncomingCommand& asked) {
  return node.state().replica && verb(asked, "EVAL") ? as_master(node, asked) : plain(node, asked);
}

/// Replaces the node's keys without replication.
void replace(ModelNodes& nodes, int node, const Dataset& keys) {
  ModelNodes::One& one = nodes.at(node);
  (void)one.side.node().restore(keys, one.now_ms());
}

/// The keys of a node, each changed by `change`, which returns whether the key stays.
template <class Change>
Dataset changed(const ModelNodes& nodes, int node, Change change) {
  Dataset keys;
  for (auto [key, entry] : nodes.at(node).side.state().keys.entries()) {
    if (change(entry)) keys.put(key, entry);
  }
  return keys;
}

void copy_shifts_times(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  const ModelNodes::One& one = nodes.at(step.node);
  if (step.kind != Kind::load || one.master == no_node) return;
  const std::int64_t ahead_ms = one.now_ms() - nodes.at(one.master).now_ms();
  replace(nodes, step.node, changed(nodes, step.node, [&](sim::redis::Entry& entry) {
            if (entry.expires_ms && *entry.expires_ms < epoch_ms * 2) *entry.expires_ms += ahead_ms;
            return true;
          }));
}

void copy_adds(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  Dataset both = nodes.at(step.node).side.state().keys;
  nodes.perform(step, outcome);
  if (step.kind != Kind::load) return;
  for (const auto& [key, entry] : nodes.at(step.node).side.state().keys.entries()) both.put(key, entry);
  replace(nodes, step.node, both);
}

/// Loads these keys as a process does at its start.
void copy_ends_transactions(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind != Kind::load) return;
  ModelNodes::One& one = nodes.at(step.node);
  (void)one.side.node().start_anew(Dataset(one.side.state().keys), one.now_ms());
}

void promotion_forgets_expired(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  const std::int64_t now_ms = nodes.at(step.node).now_ms();
  if (step.kind == Kind::promote) nodes.at(step.node).side.node().leave_out_expired(now_ms);
}

void promotion_forgets_times(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind != Kind::promote) return;
  replace(nodes, step.node, changed(nodes, step.node, [](sim::redis::Entry& entry) {
            entry.expires_ms.reset();
            return true;
          }));
}

void promoted_hides(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind == Kind::promote) nodes.at(step.node).side.node().set_replica(true);
}

void promotion_waits_for_all(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  const bool comes = !nodes.at(step.node).coming.empty() && !nodes.at(step.node).copy_comes();
  if (step.kind == Kind::promote && comes) {
    Outcome unseen;
    const Step all{.kind = Kind::deliver, .node = step.node, .count = nodes.at(step.node).coming.size()};
    nodes.perform(all, unseen);
  }
  nodes.perform(step, outcome);
}

void failover_leaves_the_others(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  Step alone = step;
  if (step.kind == Kind::fail_over) alone.kind = Kind::promote;
  nodes.perform(alone, outcome);
}

/// The others run what their old master has sent them before they follow the new one.
void failover_hands_over(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  const std::vector<int> others = step.kind == Kind::fail_over ? nodes.beside(step.node) : std::vector<int>();
  for (const int other : others) {
    if (nodes.at(other).coming.empty() || nodes.at(other).copy_comes()) continue;
    Outcome unseen;
    nodes.perform({.kind = Kind::deliver, .node = other, .count = nodes.at(other).coming.size()}, unseen);
  }
  nodes.perform(step, outcome);
}

/// The others keep what the new master lacks: they get only later commands.
void failover_copies_nothing(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  const std::vector<int> others = step.kind == Kind::fail_over ? nodes.beside(step.node) : std::vector<int>();
  nodes.perform(step, outcome);
  for (const int other : others) nodes.perform({.kind = Kind::copy, .node = other}, outcome);
  for (const int other : others) nodes.at(other).coming.clear();
}

void demotion_serves(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind == Kind::follow) nodes.at(step.node).side.node().set_replica(false);
  if (step.kind == Kind::load) nodes.at(step.node).side.node().set_replica(true);
}

void demotion_forgets(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind == Kind::follow) replace(nodes, step.node, {});
}

/// Restores what a restart resets.
template <class Keep>
void keeping(ModelNodes& nodes, const Step& step, Outcome& outcome, Keep keep) {
  const sim::redis::NodeState before = nodes.at(step.node).side.state();
  nodes.perform(step, outcome);
  if (step.kind == Kind::restart || step.kind == Kind::power_cut) keep(nodes.at(step.node).side, before);
}

void restart_keeps_scripts(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  keeping(nodes, step, outcome, [](ModelSide& side, const sim::redis::NodeState& before) {
    for (const auto& [sha, text] : before.scripts) {
      (void)side.node().execute({0, Command({"SCRIPT", "LOAD", Value(text)}), {}});
    }
  });
}

void restart_keeps_transactions(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  keeping(nodes, step, outcome, [](ModelSide& side, const sim::redis::NodeState& before) {
    for (const auto& [connection, session] : before.sessions.all()) {
      if (session.multi) (void)side.node().execute({connection, Command({"MULTI"}), {}});
    }
  });
}

void restart_starts_times_anew(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind != Kind::restart && step.kind != Kind::power_cut) return;
  replace(nodes, step.node, changed(nodes, step.node, [](sim::redis::Entry& entry) {
            if (entry.expires_ms && *entry.expires_ms < epoch_ms * 2) *entry.expires_ms += 1'000;
            return true;
          }));
}

void snapshot_keeps_expired(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  const bool ends =
      step.kind == Kind::restart && persistences[static_cast<std::size_t>(step.node)] == harness::Persistence::rdb;
  const Dataset before = nodes.at(step.node).side.state().keys;
  nodes.perform(step, outcome);
  if (ends) replace(nodes, step.node, before);
}

void snapshot_at_power_cut(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  Step ends = step;
  const auto kind = persistences[static_cast<std::size_t>(step.node)];
  if (step.kind == Kind::power_cut && kind == harness::Persistence::rdb) ends.kind = Kind::restart;
  nodes.perform(ends, outcome);
}

void log_loses_nothing(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  Step ends = step;
  const auto kind = persistences[static_cast<std::size_t>(step.node)];
  if (step.kind == Kind::power_cut && kind == harness::Persistence::aof_everysec) ends.kind = Kind::restart;
  nodes.perform(ends, outcome);
}

void restart_keeps_links(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  std::vector<int> followers;
  for (int i = 0; i < node_count; ++i) {
    if (nodes.at(i).master == step.node && nodes.at(i).linked) followers.push_back(i);
  }
  nodes.perform(step, outcome);
  if (step.kind != Kind::restart && step.kind != Kind::power_cut) return;
  for (const int follower : followers) nodes.at(step.node).side.node().follow(follower);
}

void eviction_untold(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  if (step.kind != Kind::evict) return nodes.perform(step, outcome);
  ModelNodes::One& one = nodes.at(step.node);
  one.side.took(one.side.node().evict(step.key, one.now_ms()), outcome);
  nodes.store(step.node);
  (void)one.side.take_propagated();
  outcome.propagated.clear();
}

void replicas_evict(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  ModelNodes::One& one = nodes.at(step.node);
  const bool replica = step.kind == Kind::evict && one.master != no_node;
  if (replica) one.side.node().set_replica(false);
  nodes.perform(step, outcome);
  if (replica) one.side.node().set_replica(true);
}

void replicas_hear_no_messages(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  if (step.kind == Kind::deliver) outcome.messages.assign(outcome.messages.size(), {});
}

void replication_expires(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  const std::int64_t now_ms = nodes.at(step.node).now_ms();
  if (step.kind == Kind::deliver) nodes.at(step.node).side.node().leave_out_expired(now_ms);
  nodes.perform(step, outcome);
}

void replicas_count_late(ModelNodes& nodes, const Step& step, Outcome& outcome) {
  nodes.perform(step, outcome);
  const int master = nodes.at(step.node).master;
  if (step.kind == Kind::copy) nodes.at(master).side.node().unfollow(step.node);
  if (step.kind == Kind::load && nodes.at(step.node).linked) nodes.at(master).side.node().follow(step.node);
}

constexpr Mutant several(std::string_view name, std::string_view rule,
                         NodeAnswer (*run)(Node&, const IncomingCommand&)) {
  return {name, rule, run, true, nullptr};
}

constexpr Mutant several(std::string_view name, std::string_view rule,
                         void (*step)(ModelNodes&, const Step&, Outcome&)) {
  return {name, rule, nullptr, true, step};
}

constexpr std::array several_nodes{
    several("replica-shows-expired", "a replica hides what has expired", replica_shows_expired),
    several("replica-deletes-expired", "a replica deletes nothing by itself", replica_deletes_expired),
    several("replica-takes-writes", "a replica refuses writes", replica_takes_writes),
    several("replica-scripts-write", "a replica refuses what scripts write", replica_scripts_write),
    several("replication-expires", "what a master sends finds keys that have expired", replication_expires),
    several("replicas-hear-no-messages", "messages reach the subscribers of replicas", replicas_hear_no_messages),
    several("copy-shifts-times", "a copy has the master's stamps", copy_shifts_times),
    several("copy-adds", "a copy takes the place of all keys", copy_adds),
    several("copy-ends-transactions", "connections and scripts outlive a copy", copy_ends_transactions),
    several("replicas-count-late", "a replica counts for its master from the copy on", replicas_count_late),
    several("promotion-forgets-expired", "a promoted replica keeps what has expired until it is looked at",
            promotion_forgets_expired),
    several("promotion-forgets-times", "a promoted replica keeps all stamps", promotion_forgets_times),
    several("promoted-hides", "a promoted replica takes writes, and deletes what has expired", promoted_hides),
    several("promotion-waits", "a promoted replica has what it was sent, not what was on its way",
            promotion_waits_for_all),
    several("failover-leaves-the-others", "the other replicas follow the promoted one", failover_leaves_the_others),
    several("failover-hands-over", "the other replicas do not get what their old master had sent", failover_hands_over),
    several("failover-copies-nothing", "the other replicas get a copy of what the promoted one has",
            failover_copies_nothing),
    several("demotion-serves", "who becomes a replica refuses writes at once", demotion_serves),
    several("demotion-forgets", "who becomes a replica keeps its keys until the copy comes", demotion_forgets),
    several("restart-keeps-scripts", "a restart loses the scripts", restart_keeps_scripts),
    several("restart-keeps-transactions", "a restart ends transactions", restart_keeps_transactions),
    several("restart-shifts-times", "times run on while a server is down", restart_starts_times_anew),
    several("restart-keeps-links", "a master that was down has no replicas until they ask again", restart_keeps_links),
    several("snapshot-keeps-expired", "a master reads no keys from a snapshot that have expired",
            snapshot_keeps_expired),
    several("snapshot-at-power-cut", "a snapshot is made at an orderly end only", snapshot_at_power_cut),
    several("log-loses-nothing", "a power cut loses the last second of aof-everysec", log_loses_nothing),
    several("eviction-untold", "replicas are told what was evicted", eviction_untold),
    several("replicas-evict", "a replica evicts nothing", replicas_evict),
};

}  // namespace

std::span<const Mutant> nodes_mutants() { return several_nodes; }

}  // namespace lockproof::conformance::redis
