// SPDX-License-Identifier: Apache-2.0
#include "sim/services/memcached/symbolic_node.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sim/services/memcached/effects.hpp"
#include "sim/services/memcached/verbs.hpp"

namespace lockproof::sim::memcached {
namespace {

constexpr std::int64_t now_tick = 1'000'000;
/// The ticks of leases that are not over begin here: later than any that a command can make, and one for each.
constexpr std::int64_t running_tick = now_tick * 100;
constexpr ServerTime now{.mono_us = now_tick * Ticks::period_us};

}  // namespace

SymbolicNode::SymbolicNode() { (void)add({}, {}); }

std::string SymbolicNode::refuses(const Command& command) const {
  const std::size_t at = command.verb() == "touch" ? 2 : 3;
  const bool has_length =
      command.verb() == "add" || command.verb() == "set" || command.verb() == "cas" || command.verb() == "touch";
  if (!has_length || command.args().size() <= at) return "";
  const std::string& text = command.args()[at].bytes();
  std::int64_t ttl_s = 0;
  std::from_chars(text.data(), text.data() + text.size(), ttl_s);
  return ttl_s > longest_ttl_s ? "a lease that ends at an instant" : "";
}

SymbolicNode::Step SymbolicNode::execute(Id from, const Command& command, const std::vector<bool>& over) {
  return run(from, over, [&](Node& node) { return node.execute({1, command, now}); });
}

SymbolicNode::Step SymbolicNode::go_down(Id from, bool without_warning) {
  return run(from, std::vector<bool>(leases(from).size(), false),
             [&](Node& node) { return NodeAnswer{.reply = Reply::nil(), .effects = node.stop(without_warning, now)}; });
}

SymbolicNode::Step SymbolicNode::strike(Id from, const harness::Fault& fault, const std::string& lock) {
  return run(from, std::vector<bool>(leases(from).size(), false),
             [&](Node& node) { return node.apply(fault, lock, now); });
}

SymbolicNode::Step SymbolicNode::run(Id from, const std::vector<bool>& over,
                                     const std::function<NodeAnswer(Node&)>& change) {
  const auto& before = states_.at(from);
  Items items = before.stored;
  for (const auto& [key, item] : before.stored.all()) {
    if (item.ends_at)
      items.find(key)->ends_at =
          over[static_cast<std::size_t>(*item.ends_at)] ? now_tick : running_tick + *item.ends_at;
  }
  Node node;
  node.restore(std::move(items));
  NodeAnswer executed = change(node);

  Items after = node.items();
  LeaseList leases;
  for (const auto& [key, item] : node.items().all()) {
    if (!item.ends_at) continue;
    if (item.expired(now_tick)) {  // nobody has looked at it, or it was stored so
      const auto old = before.stored.all().find(key);
      const bool has_run_out = old != before.stored.all().end() && old->second.unique == item.unique;
      if (has_run_out) expired(executed.effects, key);
      after.erase(key);
      continue;
    }
    after.find(key)->ends_at = *item.ends_at >= running_tick
                                   ? leases.keep(before.leases[static_cast<std::size_t>(*item.ends_at - running_tick)])
                                   : leases.begin(seconds(*item.ends_at - now_tick));
  }
  Step step = add(std::move(after), leases);
  step.reply = std::move(executed.reply);
  step.effects = std::move(executed.effects);
  return step;
}

SymbolicNode::Step SymbolicNode::add(Items items, const LeaseList& leases) {
  StateEncoder encoder;
  encoder.number(items.unique());
  for (const auto& [key, item] : items.all()) {
    encoder.text(key);
    encoder.value(item.value, 0);
    encoder.number(item.unique);
    encoder.number(item.ends_at.value_or(-1));
  }
  return states_.add(std::move(items), leases, std::move(encoder));
}

}  // namespace lockproof::sim::memcached
