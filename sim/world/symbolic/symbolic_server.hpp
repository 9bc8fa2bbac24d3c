// SPDX-License-Identifier: Apache-2.0
// SymbolicServer: one server in a search in which an instant is a name. It is a function of the commands that arrive;
// whether a lease is over when one arrives is not known here but asked before, and is an input. Each service that has
// one implements it in its folder of sim/services.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim {

class SymbolicServer : public PinnedObject {
 public:
  using Id = std::uint32_t;
  /// A lease that runs: it is over this long after the instant with this name. Names are counted from 0 in each state.
  struct Lease {
    int name = 0;
    Duration after{};
    bool operator==(const Lease&) const = default;
  };
  /// Of a name: it begins with the command.
  static constexpr int begins = -1;
  struct Step {
    Id state = 0;
    Reply reply = Reply::nil();
    std::vector<harness::Effect> effects{};  // on keys; a lease that is over ends with the command at the latest
    std::vector<int> names{};                // of each name of the new state: that in the old state, or `begins`
  };

  virtual ~SymbolicServer() = default;
  [[nodiscard]] virtual Id initial() = 0;
  [[nodiscard]] virtual const std::vector<Lease>& leases(Id state) const = 0;
  [[nodiscard]] virtual std::size_t names(Id state) const = 0;
  /// The tokens in its values, a bit each: see token_name.
  [[nodiscard]] virtual std::uint64_t tokens(Id state) const = 0;
  /// How long after the command the instant is that a name stands for: what the server's clock rounds.
  [[nodiscard]] virtual harness::Window begin() const = 0;
  /// In which order the requests run that waited while it stood still: `one` or `per_connection`.
  [[nodiscard]] virtual ServiceModel::Queues queues() const = 0;
  /// The reason, as a noun, for which this command cannot be run here; empty: it can.
  [[nodiscard]] virtual std::string refuses(const Command& command) const = 0;
  /// `over`: for each lease whether it is over as the command arrives. REQUIRES: the command is not refused.
  [[nodiscard]] virtual Step execute(Id state, const Command& command, const std::vector<bool>& over) = 0;
  /// The reason, as a noun, for which it is not known here what a server keeps that goes down; empty: it is.
  /// `after_another`: it may have gone down orderly before.
  [[nodiscard]] virtual std::string why_unknown_after(bool without_warning, bool after_another) const = 0;
  /// The server goes down, and comes up with what it has kept. The reply means nothing. REQUIRES: see
  /// why_unknown_after.
  [[nodiscard]] virtual Step go_down(Id state, bool without_warning) = 0;
  /// A fault changes what the server stores, of which this is the lock's key. The reply means nothing.
  [[nodiscard]] virtual Step strike(Id state, const harness::Fault& fault, const std::string& lock) = 0;
};

/// Null: the scenario's service has none.
[[nodiscard]] std::unique_ptr<SymbolicServer> make_symbolic_server(const harness::Scenario& scenario);

}  // namespace lockproof::sim
