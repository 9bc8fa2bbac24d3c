// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/model_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockproof::conformance::redis {

using sim::redis::Node;

bool ModelNodes::One::copy_comes() const {
  return std::ranges::any_of(coming, [](const ReplicaMessage& sent) { return sent.copy.has_value(); });
}

void ModelNodes::reset() {
  clock_us_ = epoch_ms * 1000;
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i] = std::make_unique<One>(mutant_, persistences[i]);
}

bool ModelNodes::has_replicas(int node) const {
  return std::ranges::any_of(nodes_, [&](const auto& one) { return one->master == node; });
}

std::vector<int> ModelNodes::beside(int node) const {
  std::vector<int> others;
  for (int i = 0; i < node_count; ++i) {
    if (i != node && at(node).master != no_node && at(i).master == at(node).master) others.push_back(i);
  }
  return others;
}

bool ModelNodes::evictable(int node, const std::string& key) const {
  const auto& entries = at(node).side.state().keys.entries();
  const auto found = entries.find(key);
  if (found == entries.end()) return false;
  const auto expire = std::ranges::count_if(entries, [](const auto& one) { return one.second.expires_ms.has_value(); });
  return entries.size() == 1 || (found->second.expires_ms && expire == 1);
}

bool ModelNodes::possible(const Step& step) const {
  const One& one = at(step.node);
  switch (step.kind) {
    case Step::Kind::follow:
      return step.peer != step.node && one.master != step.peer && at(step.peer).master == no_node &&
             !has_replicas(step.node);
    case Step::Kind::copy: return one.master != no_node && !one.linked && !one.copy_comes();
    case Step::Kind::load: return !one.coming.empty() && one.coming.front().copy;
    case Step::Kind::deliver: return !one.coming.empty() && !one.coming.front().copy;
    case Step::Kind::promote: return one.master != no_node;
    case Step::Kind::fail_over: return !beside(step.node).empty();
    case Step::Kind::evict: return evictable(step.node, step.key);
    default: return true;
  }
}

Step ModelNodes::as_far_as_possible(Step step) const {
  const auto& coming = at(step.node).coming;
  const auto copy = std::ranges::find_if(coming, [](const ReplicaMessage& sent) { return sent.copy.has_value(); });
  if (step.kind == Step::Kind::deliver)
    step.count = std::min(step.count, static_cast<std::size_t>(copy - coming.begin()));
  return step;
}

void ModelNodes::run(const Step& step, Outcome& outcome) {
  if (mutant_ && mutant_->step) {
    mutant_->step(*this, step, outcome);
  } else {
    perform(step, outcome);
  }
  if (changes_node(step)) outcome.contents = contents(step.node);
}

Outcome ModelNodes::run(const Step& step) {
  Outcome outcome;
  run(step, outcome);
  return outcome;
}

void ModelNodes::perform(const Step& step, Outcome& outcome) {
  One& one = at(step.node);
  Node& node = one.side.node();
  switch (step.kind) {
    case Step::Kind::command: {
      one.side.run(step, outcome);
      send(step.node, one.side.take_propagated());
      outcome.propagated.clear();  // seen when it is delivered
      return;
    }
    case Step::Kind::clock:
      clock_us_ = step.clock_us;
      for (const auto& each : nodes_) each->side.set_clock(clock_us_ + each->ahead_us);
      return;
    case Step::Kind::jump: one.ahead_us += step.clock_us; return one.side.set_clock(clock_us_ + one.ahead_us);
    case Step::Kind::reconnect:
    case Step::Kind::min_replicas: return one.side.run(step, outcome);
    case Step::Kind::follow: return turn(step.node, step.peer);
    case Step::Kind::copy:
      one.linked = true;
      one.coming.push_back({Command({"FULLRESYNC"}), at(one.master).side.node().dataset()});
      (void)at(one.master).side.node().follow(step.node);
      return;
    case Step::Kind::load: return load(one, outcome);
    case Step::Kind::deliver: return deliver(one, step.count, outcome);
    case Step::Kind::promote: return turn(step.node, no_node);
    case Step::Kind::fail_over: {
      const std::vector<int> others = beside(step.node);
      turn(step.node, no_node);
      for (const int other : others) turn(other, step.node);
      return;
    }
    case Step::Kind::restart: return end(step.node, false);
    case Step::Kind::power_cut: return end(step.node, true);
    case Step::Kind::evict: {
      one.side.took(node.evict(step.key, one.now_ms()), outcome);
      send(step.node, one.side.take_propagated());
      outcome.propagated.clear();
      return;
    }
  }
}

/// Passes commands to its replicas and to its own disk.
void ModelNodes::send(int master, const std::vector<Command>& commands) {
  if (commands.empty()) return;
  store(master);
  for (const auto& one : nodes_) {
    if (one->master != master || !one->linked) continue;
    for (const Command& command : commands) one->coming.push_back({command});
  }
}

void ModelNodes::load(One& replica, Outcome& outcome) {
  ReplicaMessage sent = std::move(replica.coming.front());
  replica.coming.pop_front();
  sim::NodeAnswer executed{Reply::nil()};
  executed.effects = replica.side.node().restore(*std::move(sent.copy), replica.now_ms());
  replica.disk.rewrite(replica.side.node().dataset());
  replica.side.took(std::move(executed), outcome);
}

void ModelNodes::deliver(One& replica, std::size_t count, Outcome& outcome) {
  for (; count > 0; --count) {
    const ReplicaMessage sent = std::move(replica.coming.front());
    replica.coming.pop_front();
    sim::NodeAnswer executed = replica.side.node().apply(sent.command, replica.now_ms());
    executed.propagated.clear();
    replica.side.took(std::move(executed), outcome);
    outcome.propagated.push_back(conformance::shown(sent.command.args()));
  }
  replica.disk.write(now(), replica.side.node().dataset());
}

/// Drops everything that its master has sent and that has not reached it.
void ModelNodes::unlink(int node) {
  One& one = at(node);
  if (one.master != no_node) at(one.master).side.node().unfollow(node);
  one.linked = false;
  one.coming.clear();
}

void ModelNodes::turn(int node, int master) {
  unlink(node);
  at(node).master = master;
  at(node).side.node().set_replica(master != no_node);
}

/// Ends its process and starts it again. What it had sent still arrives, except a copy.
void ModelNodes::end(int node, bool without_warning) {
  One& one = at(node);
  unlink(node);
  for (const auto& other : nodes_) {
    if (other->master != node) continue;
    other->linked = false;
    if (other->copy_comes()) other->coming.clear();
  }
  Node& process = one.side.node();
  (void)process.start_anew(one.disk.end(now(), process.dataset(), without_warning), one.now_ms());
  const bool reads_snapshot = persistences[static_cast<std::size_t>(node)] == harness::Persistence::rdb;
  if (reads_snapshot && one.master == no_node) process.leave_out_expired(one.now_ms());
}

std::vector<std::string> ModelNodes::contents(int node) const {
  std::vector<std::string> lines;
  for (const auto& [key, entry] : at(node).side.state().keys.entries()) {
    Reply content = entry.string() ? Reply::bulk(*entry.string()) : Reply::nil();
    if (entry.hash()) {
      std::vector<Reply> items;
      for (const auto& [field, value] : *entry.hash()) {
        items.push_back(Reply::bulk(field));
        items.push_back(Reply::bulk(value));
      }
      content = Reply::array(std::move(items));
    }
    lines.push_back(fmt::format("{} = {} until {}", key, conformance::shown(content), entry.expires_ms.value_or(-1)));
  }
  return lines;
}

}  // namespace lockproof::conformance::redis
