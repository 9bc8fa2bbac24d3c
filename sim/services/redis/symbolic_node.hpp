// SPDX-License-Identifier: Apache-2.0
// SymbolicNode: a Redis node as a function of commands. The node itself runs each of them, at a time at which exactly
// those leases are over that are said to be; a command that can see more of the time than that is refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/services/redis/node.hpp"
#include "sim/world/symbolic/symbolic_states.hpp"

namespace lockproof::sim::redis {

class SymbolicNode final : public SymbolicServer {
 public:
  explicit SymbolicNode(harness::ServerSpec spec);

  [[nodiscard]] Id initial() override { return 0; }
  [[nodiscard]] const std::vector<Lease>& leases(Id state) const override { return states_.at(state).leases; }
  [[nodiscard]] std::size_t names(Id state) const override { return states_.at(state).names; }
  [[nodiscard]] std::uint64_t tokens(Id state) const override { return states_.at(state).tokens; }
  /// The clock is read in whole milliseconds, rounded down, and a lease of n of them is over when the clock shows more
  /// than n further ones: n after the next tick.
  [[nodiscard]] harness::Window begin() const override { return {Duration(1), milliseconds(1)}; }
  [[nodiscard]] ServiceModel::Queues queues() const override { return ServiceModel::Queues::one; }
  [[nodiscard]] std::string refuses(const Command& command) const override;
  [[nodiscard]] Step execute(Id state, const Command& command, const std::vector<bool>& over) override;
  [[nodiscard]] std::string why_unknown_after(bool without_warning, bool after_another) const override;
  [[nodiscard]] Step go_down(Id state, bool without_warning) override;
  [[nodiscard]] Step strike(Id state, const harness::Fault& fault, const std::string& lock) override;

 private:
  /// `over`: as of execute.
  Step run(Id from, const std::vector<bool>& over, const std::function<NodeAnswer(Node&)>& change);
  Step add(Dataset keys, const LeaseList& leases);

  const harness::ServerSpec spec_;
  ScriptEngine scripts_;
  SymbolicStates<Dataset> states_;  // the keys with a lease have its number instead of a stamp, from 0 in their order
};

}  // namespace lockproof::sim::redis
