// SPDX-License-Identifier: Apache-2.0
#include "sim/services/postgres/symbolic_node.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim/services/postgres/statements.hpp"

namespace lockproof::sim::postgres {
namespace {

constexpr std::int64_t now_ms = 1'000'000'000'000;
/// The stamps of leases that are not over begin here: later than any that a statement can make, and one for each.
constexpr std::int64_t running_ms = now_ms * 100;
/// Instead of the number of a lease: it is over, and nobody has taken the row since.
constexpr std::int64_t long_over = -1;
constexpr ServerTime now{.wall_ms = now_ms};

/// Statements that see of the time only whether a row's is over, and need no transaction around them.
constexpr std::array<std::string_view, 3> blind{"give-row", "next-fence", "take-row"};

}  // namespace

SymbolicNode::SymbolicNode() { (void)add({}, {}); }

std::string SymbolicNode::refuses(const Command& command) const {
  if (std::ranges::find(blind, name_of(command)) != blind.end()) return "";
  return "the statement " + std::string(command.verb());
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
  const auto is_over = [&](std::int64_t lease) { return lease == long_over || over[static_cast<std::size_t>(lease)]; };
  Rows rows = before.stored;
  for (auto& [name, row] : rows.leases) {
    if (row.until_ms) row.until_ms = is_over(*row.until_ms) ? now_ms - 1 : running_ms + *row.until_ms;
  }
  Node node;
  node.restore(std::move(rows));
  NodeAnswer executed = change(node);

  Rows after = node.database().rows();
  LeaseList leases;
  for (auto& [name, row] : after.leases) {
    if (!row.until_ms) continue;
    if (*row.until_ms < now_ms) {
      row.until_ms = long_over;
    } else {
      row.until_ms = *row.until_ms >= running_ms
                         ? leases.keep(before.leases[static_cast<std::size_t>(*row.until_ms - running_ms)])
                         : leases.begin(milliseconds(*row.until_ms - now_ms));
    }
  }
  Step step = add(std::move(after), leases);
  step.reply = std::move(executed.reply);
  step.effects = std::move(executed.effects);
  return step;
}

SymbolicNode::Step SymbolicNode::add(Rows rows, const LeaseList& leases) {
  StateEncoder encoder;
  encoder.number(static_cast<std::int64_t>(rows.leases.size()));
  for (const auto& [name, row] : rows.leases) {
    encoder.text(name);
    encoder.value(row.owner, 0);
    encoder.number(row.fence);
    encoder.number(row.until_ms.has_value());
    if (row.until_ms) encoder.number(*row.until_ms);
  }
  for (const auto& [name, last] : rows.fences) {
    encoder.text(name);
    encoder.number(last);
  }
  return states_.add(std::move(rows), leases, std::move(encoder));
}

}  // namespace lockproof::sim::postgres
