// SPDX-License-Identifier: Apache-2.0
// SymbolicNode: a memcached as a function of commands. The node itself runs each of them, at a tick at which exactly
// those leases are over that are said to be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/services/memcached/node.hpp"
#include "sim/world/symbolic/symbolic_states.hpp"

namespace lockproof::sim::memcached {

class SymbolicNode final : public SymbolicServer {
 public:
  SymbolicNode();

  [[nodiscard]] Id initial() override { return 0; }
  [[nodiscard]] const std::vector<Lease>& leases(Id state) const override { return states_.at(state).leases; }
  [[nodiscard]] std::size_t names(Id state) const override { return states_.at(state).names; }
  [[nodiscard]] std::uint64_t tokens(Id state) const override { return states_.at(state).tokens; }
  /// A lease of n seconds is over n after the last tick.
  [[nodiscard]] harness::Window begin() const override { return {Duration(1 - Ticks::period_us), Duration{}}; }
  [[nodiscard]] ServiceModel::Queues queues() const override { return ServiceModel::Queues::per_connection; }
  /// A date: it ends at an instant.
  [[nodiscard]] std::string refuses(const Command& command) const override;
  [[nodiscard]] Step execute(Id state, const Command& command, const std::vector<bool>& over) override;
  /// It keeps nothing.
  [[nodiscard]] std::string why_unknown_after(bool, bool) const override { return ""; }
  [[nodiscard]] Step go_down(Id state, bool without_warning) override;
  [[nodiscard]] Step strike(Id state, const harness::Fault& fault, const std::string& lock) override;

 private:
  Step run(Id from, const std::vector<bool>& over, const std::function<NodeAnswer(Node&)>& change);
  Step add(Items items, const LeaseList& leases);

  SymbolicStates<Items> states_;  // the items with a lease have its number instead of a tick
};

}  // namespace lockproof::sim::memcached
