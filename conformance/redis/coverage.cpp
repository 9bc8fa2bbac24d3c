// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/coverage.hpp"

#include <algorithm>
#include <array>

#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {
namespace {

using sim::redis::is_word;

namespace name {
constexpr std::string_view exec_nil = "EXEC answered nil: a watched key had changed or expired";
constexpr std::string_view exec_refused = "EXEC refused after an error in queueing";
constexpr std::string_view heard = "messages to other connections";
constexpr std::string_view expired = "keys expired by a look";
constexpr std::string_view no_script = "EVALSHA of an unknown script";
constexpr std::string_view no_replicas = "writes refused by min-replicas-to-write";
constexpr std::string_view waits = "WAIT";
constexpr std::string_view postponed = "commands during a CLIENT PAUSE";
constexpr std::string_view reconnects = "connections opened again";
constexpr std::string_view jumps = "clocks of one node that jumped";
constexpr std::string_view replica_reads = "commands to replicas";
constexpr std::string_view hidden = "reads of a key that a replica hides: it has expired";
constexpr std::string_view read_only = "writes refused by replicas";
constexpr std::string_view delivered = "commands from a master, run by a replica";
constexpr std::string_view heard_there = "messages that reached a replica's subscribers";
constexpr std::string_view exec_nil_there = "EXEC of a replica answered nil";
constexpr std::string_view copies = "copies loaded by replicas";
constexpr std::string_view overwritten = "copies that took away keys which the master did not have";
constexpr std::string_view promotions = "promotions";
constexpr std::string_view lost = "promotions that lost commands on their way";
constexpr std::string_view stale = "promotions with keys that had expired";
constexpr std::string_view failovers = "failovers in which another replica follows the promoted one";
constexpr std::string_view lost_there = "failovers in which another replica has keys that the promoted one lacks";
constexpr std::string_view demotions = "masters that became replicas";
constexpr std::string_view evictions = "evictions by a master that has replicas";
constexpr std::string_view evictions_there = "evictions that a replica was to make, and does not";
constexpr std::string_view ended_replica = "replicas that ended and started again";
constexpr std::string_view ended_master = "masters with replicas that ended and started again";
constexpr std::string_view end_lost = "ends that lost keys";
constexpr std::string_view end_expired = "starts with keys that had expired";
constexpr std::string_view end_scripts = "ends of a process that knew scripts";
constexpr std::array restarts{std::string_view("restarts, rdb"), std::string_view("restarts, aof-always"),
                              std::string_view("restarts, aof-everysec"), std::string_view("restarts, no persistence")};
constexpr std::array power_cuts{std::string_view("power cuts, rdb"), std::string_view("power cuts, aof-always"),
                                std::string_view("power cuts, aof-everysec"),
                                std::string_view("power cuts, no persistence")};
}  // namespace name

constexpr std::array tried{
    CoverageItem{name::exec_nil, true, true},       CoverageItem{name::exec_refused, true, true},
    CoverageItem{name::heard, true, true},          CoverageItem{name::expired, true, true},
    CoverageItem{name::no_script, true, true},      CoverageItem{name::no_replicas, true, true},
    CoverageItem{name::reconnects, true, true},     CoverageItem{name::waits, true, false},
    CoverageItem{name::postponed, true, false},     CoverageItem{name::jumps, false, true},
    CoverageItem{name::replica_reads, false, true}, CoverageItem{name::hidden, false, true},
    CoverageItem{name::read_only, false, true},     CoverageItem{name::delivered, false, true},
    CoverageItem{name::heard_there, false, true},   CoverageItem{name::exec_nil_there, false, true},
    CoverageItem{name::copies, false, true},        CoverageItem{name::overwritten, false, true},
    CoverageItem{name::promotions, false, true},    CoverageItem{name::lost, false, true},
    CoverageItem{name::stale, false, true},         CoverageItem{name::demotions, false, true},
    CoverageItem{name::failovers, false, true},     CoverageItem{name::lost_there, false, true},
    CoverageItem{name::evictions, false, true},     CoverageItem{name::evictions_there, false, true},
    CoverageItem{name::restarts[0], false, true},   CoverageItem{name::restarts[1], false, true},
    CoverageItem{name::restarts[2], false, true},   CoverageItem{name::restarts[3], false, true},
    CoverageItem{name::power_cuts[0], false, true}, CoverageItem{name::power_cuts[1], false, true},
    CoverageItem{name::power_cuts[2], false, true}, CoverageItem{name::power_cuts[3], false, true},
    CoverageItem{name::ended_master, false, true},  CoverageItem{name::ended_replica, false, true},
    CoverageItem{name::end_lost, false, true},      CoverageItem{name::end_expired, false, true},
    CoverageItem{name::end_scripts, false, true},
};

bool has_expired(const ModelNodes::One& one) {
  return std::ranges::any_of(one.side.state().keys.entries(),
                             [&](const auto& key) { return key.second.expired(one.now_ms()); });
}

}  // namespace

std::span<const CoverageItem> to_be_tried() { return tried; }

std::uint64_t Coverage::of(std::string_view name) const {
  const auto found = counts_.find(name);
  return found == counts_.end() ? 0 : found->second;
}

void Coverage::before(const Step& step, const ModelSide& model) {
  if (step.kind == Step::Kind::reconnect) add(name::reconnects);
  if (step.kind != Step::Kind::command) return;
  if (model.paused()) add(name::postponed);
  if (is_word(step.words[0], "WAIT")) add(name::waits);
}

void Coverage::before(const Step& step, const ModelNodes& model) {
  const ModelNodes::One& one = model.at(step.node);
  switch (step.kind) {
    case Step::Kind::command: return before_command(step, one);
    case Step::Kind::reconnect: return add(name::reconnects);
    case Step::Kind::jump: return add(name::jumps);
    case Step::Kind::follow: return add(name::demotions, one.master == no_node);
    case Step::Kind::load: {
      const auto& copy = one.coming.front().copy->entries();
      const auto missing = [&](const auto& key) { return !copy.contains(key.first); };
      add(name::copies);
      return add(name::overwritten, std::ranges::any_of(one.side.state().keys.entries(), missing));
    }
    case Step::Kind::deliver: return add(name::delivered, step.count);
    case Step::Kind::promote:
      add(name::promotions);
      add(name::lost, !one.coming.empty());
      return add(name::stale, has_expired(one));
    case Step::Kind::fail_over: return before_failover(step, model);
    case Step::Kind::restart:
    case Step::Kind::power_cut: return before_end(step, model);
    case Step::Kind::evict:
      if (one.master != no_node) return add(name::evictions_there);
      return add(name::evictions, model.has_replicas(step.node));
    default: return;
  }
}

void Coverage::before_command(const Step& step, const ModelNodes::One& one) {
  at_replica_ = one.master != no_node;
  if (!at_replica_) return;
  add(name::replica_reads);
  const auto rule = std::ranges::find_if(sim::redis::command_table(),
                                         [&](const auto& known) { return is_word(step.words[0], known.verb); });
  if (rule == sim::redis::command_table().end() || rule->writes || !rule->in_scripts || step.words.size() < 2) return;
  const auto& keys = one.side.state().keys;
  add(name::hidden, keys.expired(step.words[1].bytes(), one.now_ms()));
}

void Coverage::before_failover(const Step& step, const ModelNodes& model) {
  add(name::failovers);
  const auto& keys = model.at(step.node).side.state().keys;
  const auto lacks = [&](const auto& key) { return !keys.contains(key.first); };
  const auto has_more = [&](int other) {
    return std::ranges::any_of(model.at(other).side.state().keys.entries(), lacks);
  };
  add(name::lost_there, std::ranges::any_of(model.beside(step.node), has_more));
}

void Coverage::before_end(const Step& step, const ModelNodes& model) {
  const ModelNodes::One& one = model.at(step.node);
  const auto index = static_cast<std::size_t>(step.node);
  const bool cut = step.kind == Step::Kind::power_cut;
  add(cut ? name::power_cuts[index] : name::restarts[index]);
  add(name::ended_master, model.has_replicas(step.node));
  add(name::ended_replica, one.master != no_node);
  const auto& keys = one.side.state().keys;
  sim::redis::Disk disk = one.disk;
  const auto kept = disk.end(model.now(), keys, cut);
  add(name::end_lost, kept != keys);
  add(name::end_expired,
      std::ranges::any_of(kept.entries(), [&](const auto& key) { return key.second.expired(one.now_ms()); }));
  add(name::end_scripts, !one.side.state().scripts.empty());
}

/// Counts what the servers' answers show.
void Coverage::after(std::span<const Step> run, const Outcome& real) {
  std::size_t reply = 0;
  const Step& first = run.front();
  for (const Step& step : run) {
    if (step.kind != Step::Kind::command || reply == real.replies.size()) continue;
    const Reply& answered = real.replies[reply++];
    if (is_word(step.words[0], "EXEC") && answered.is_nil()) {
      add(name::exec_nil);
      add(name::exec_nil_there, at_replica_);
    }
    if (!answered.is_error()) continue;
    const std::string& text = answered.value().bytes();
    add(name::exec_refused, text.starts_with("EXECABORT"));
    add(name::no_script, text.starts_with("NOSCRIPT"));
    add(name::no_replicas, text.starts_with("NOREPLICAS"));
    add(name::read_only, text.starts_with("READONLY"));
  }
  for (std::size_t i = 0; i < real.messages.size(); ++i) {
    const bool own = first.kind == Step::Kind::command && first.connection == static_cast<int>(i);
    if (first.kind == Step::Kind::deliver) add(name::heard_there, real.messages[i].size());
    if (!own) add(name::heard, real.messages[i].size());
  }
  for (const std::string& effect : real.effects) add(name::expired, effect.starts_with("expired "));
}

}  // namespace lockproof::conformance::redis
