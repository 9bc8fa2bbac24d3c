// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/symbolic_node.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis {
namespace {

constexpr std::int64_t now_ms = 1'000'000'000'000;
/// The stamps of leases that are not over begin here: later than any that a command can make, and one for each.
constexpr std::int64_t running_ms = now_ms * 100;

/// Commands that see of the time only whether a lease is over, and set leases only by how long they last.
constexpr std::array blind{"DEL",  "EVAL",    "EXISTS", "EXPIRE", "GET",   "GETDEL", "GETSET",
                           "INCR", "PEXPIRE", "PSETEX", "SET",    "SETEX", "SETNX"};
/// Words of commands that see or set more; a text of a script that contains one of them may do so.
constexpr std::array timed_words{"ttl", "time", "expireat", "exat", "pxat", "'gt'", "\"gt\"", "'lt'", "\"lt\""};

bool reads_time(std::string_view text) {
  const std::string all = lower(text);
  return std::ranges::any_of(timed_words, [&](const char* word) { return all.find(word) != std::string::npos; });
}

}  // namespace

SymbolicNode::SymbolicNode(harness::ServerSpec spec) : spec_(std::move(spec)) { (void)add({}, {}); }

std::string SymbolicNode::refuses(const Command& command) const {
  const std::vector<Value>& words = command.args();
  const std::string verb = words.empty() ? "" : upper(words.front().bytes());
  const bool conditional = (verb == "EXPIRE" || verb == "PEXPIRE") && words.size() > 3;
  if (std::ranges::find(blind, verb) == blind.end() || conditional) return "the command " + std::string(command.verb());
  if (verb == "EVAL" && words.size() > 1 && reads_time(words[1].bytes()))
    return "the script " + std::string(command.verb()) + ", which may read the time";
  if (verb == "SET" &&
      std::ranges::any_of(words, [](const Value& word) { return is_word(word, "EXAT") || is_word(word, "PXAT"); }))
    return "a lease that ends at an instant";
  return "";
}

SymbolicNode::Step SymbolicNode::execute(Id from, const Command& command, const std::vector<bool>& over) {
  constexpr int connection = 1;
  return run(from, over, [&](Node& node) { return node.execute({connection, command, {.wall_ms = now_ms}}); });
}

/// The disk of a node that is made for one step knows nothing of what was written before.
std::string SymbolicNode::why_unknown_after(bool without_warning, bool after_another) const {
  using harness::Persistence;
  if (without_warning && spec_.persistence == Persistence::aof_everysec)
    return "a power-cut of a server that writes its log every second";
  if (without_warning && after_another && spec_.persistence == Persistence::rdb)
    return "a power-cut of a server that saves snapshots, beside a restart";
  return "";
}

/// Which leases end while it is down is seen by who comes then.
SymbolicNode::Step SymbolicNode::go_down(Id from, bool without_warning) {
  return run(from, std::vector<bool>(states_.at(from).leases.size(), false), [&](Node& node) {
    NodeAnswer stopped{.reply = Reply::nil(), .effects = node.stop(without_warning, {.wall_ms = now_ms})};
    node.restart({.wall_ms = now_ms});
    return stopped;
  });
}

SymbolicNode::Step SymbolicNode::strike(Id from, const harness::Fault& fault, const std::string& lock) {
  return run(from, std::vector<bool>(states_.at(from).leases.size(), false),
             [&](Node& node) { return node.apply(fault, lock, {.wall_ms = now_ms}); });
}

SymbolicNode::Step SymbolicNode::run(Id from, const std::vector<bool>& over,
                                     const std::function<NodeAnswer(Node&)>& change) {
  const auto& before = states_.at(from);
  Dataset keys = before.stored;
  for (const auto& [name, held] : before.stored.entries()) {
    if (!held.expires_ms) continue;
    const auto lease = static_cast<std::size_t>(*held.expires_ms);
    keys.find(name)->expires_ms = over[lease] ? now_ms - 1 : running_ms + *held.expires_ms;
  }
  Node node(scripts_, spec_);
  (void)node.restore(std::move(keys), now_ms);
  NodeAnswer executed = change(node);

  Dataset after;
  LeaseList leases;
  for (const auto& [name, entry] : node.keys().entries()) {
    if (entry.expires_ms && *entry.expires_ms < now_ms) {  // over, and nobody has looked at it
      executed.effects.push_back({harness::Change::expired, "expired", name, std::nullopt});
      continue;
    }
    Entry& kept = after.put(name, entry);
    if (!entry.expires_ms) continue;
    kept.expires_ms = *entry.expires_ms >= running_ms
                          ? leases.keep(before.leases[static_cast<std::size_t>(*entry.expires_ms - running_ms)])
                          : leases.begin(milliseconds(*entry.expires_ms - now_ms));
  }
  Step step = add(std::move(after), leases);
  step.reply = std::move(executed.reply);
  step.effects = std::move(executed.effects);
  return step;
}

SymbolicNode::Step SymbolicNode::add(Dataset keys, const LeaseList& leases) {
  StateEncoder encoder;
  for (const auto& [name, entry] : keys.entries()) {
    encoder.text(name);
    encoder.number(entry.expires_ms.value_or(-1));
    encoder.number(entry.hash() ? static_cast<std::int64_t>(entry.hash()->size()) : -1);
    if (const Value* string = entry.string()) encoder.value(*string, 0);
    if (!entry.hash()) continue;
    for (const auto& [field, value] : *entry.hash()) encoder.value(field, 0), encoder.value(value, 0);
  }
  return states_.add(std::move(keys), leases, std::move(encoder));
}

}  // namespace lockproof::sim::redis
