// SPDX-License-Identifier: Apache-2.0
// SymbolicNode: a PostgreSQL as a function of statements, each of which is a transaction of its own: none waits for
// another one, and a connection has nothing of its own. The node itself runs them, at a time at which exactly those
// leases are over that are said to be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/services/postgres/node.hpp"
#include "sim/world/symbolic/symbolic_states.hpp"

namespace lockproof::sim::postgres {

class SymbolicNode final : public SymbolicServer {
 public:
  SymbolicNode();

  [[nodiscard]] Id initial() override { return 0; }
  [[nodiscard]] const std::vector<Lease>& leases(Id state) const override { return states_.at(state).leases; }
  [[nodiscard]] std::size_t names(Id state) const override { return states_.at(state).names; }
  [[nodiscard]] std::uint64_t tokens(Id state) const override { return states_.at(state).tokens; }
  /// now() is read in whole milliseconds, rounded down, and a row is free once it shows more than the row's time.
  [[nodiscard]] harness::Window begin() const override { return {Duration(1), milliseconds(1)}; }
  [[nodiscard]] ServiceModel::Queues queues() const override { return ServiceModel::Queues::per_connection; }
  [[nodiscard]] std::string refuses(const Command& command) const override;
  [[nodiscard]] Step execute(Id state, const Command& command, const std::vector<bool>& over) override;
  /// What was committed stays.
  [[nodiscard]] std::string why_unknown_after(bool, bool) const override { return ""; }
  [[nodiscard]] Step go_down(Id state, bool without_warning) override;
  [[nodiscard]] Step strike(Id state, const harness::Fault& fault, const std::string& lock) override;

 private:
  Step run(Id from, const std::vector<bool>& over, const std::function<NodeAnswer(Node&)>& change);
  Step add(Rows rows, const LeaseList& leases);

  SymbolicStates<Rows> states_;  // the rows with a time have the number of a lease instead, or `long_over`
};

}  // namespace lockproof::sim::postgres
