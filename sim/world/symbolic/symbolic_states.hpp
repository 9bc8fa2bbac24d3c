// SPDX-License-Identifier: Apache-2.0
// SymbolicStates: the states of a symbolic server, each once, and the leases of each. What is stored has the number of
// a lease where the service's own model has the instant of its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "sim/world/state_encoder.hpp"
#include "sim/world/symbolic/symbolic_server.hpp"

namespace lockproof::sim {

/// The leases of a new state, by number in the order in which they are added, and the names that they are counted from.
class LeaseList {
 public:
  using Lease = SymbolicServer::Lease;
  /// Of a lease that the state before has. Returns its number.
  std::int64_t keep(const Lease& lease) { return add(lease.name, lease.after); }
  /// … of one that begins, and lasts so long.
  std::int64_t begin(Duration after) { return add(SymbolicServer::begins, after); }
  [[nodiscard]] const std::vector<Lease>& all() const { return all_; }
  /// Of each name: that in the state before, or `begins`.
  [[nodiscard]] const std::vector<int>& names() const { return names_; }

 private:
  std::int64_t add(int old, Duration after) {
    const auto known = std::ranges::find(names_, old);
    all_.push_back({static_cast<int>(known - names_.begin()), after});
    if (known == names_.end()) names_.push_back(old);
    return static_cast<std::int64_t>(all_.size()) - 1;
  }

  std::vector<Lease> all_;
  std::vector<int> names_;
};

template <class Stored>
class SymbolicStates {
 public:
  using Id = SymbolicServer::Id;
  struct State {
    Stored stored{};
    std::vector<SymbolicServer::Lease> leases{};
    std::size_t names = 0;
    std::uint64_t tokens = 0;
  };

  [[nodiscard]] const State& at(Id id) const { return states_[id]; }
  /// `encoder`: all that is stored is written there. Returns a step to it, without a reply.
  SymbolicServer::Step add(Stored stored, const LeaseList& leases, StateEncoder encoder) {
    for (const SymbolicServer::Lease& lease : leases.all()) {
      encoder.number(lease.name);
      encoder.number(lease.after.count());
    }
    const std::uint64_t tokens = bits_of(encoder.names());
    const auto known = std::ranges::find(encodings_, encoder.bytes());
    const auto id = static_cast<Id>(known - encodings_.begin());
    if (known == encodings_.end()) {
      encodings_.push_back(encoder.take());
      states_.push_back({std::move(stored), leases.all(), leases.names().size(), tokens});
    }
    return {.state = id, .names = leases.names()};
  }

 private:
  std::deque<State> states_;
  std::vector<std::string> encodings_;  // of the states; there are few
};

}  // namespace lockproof::sim
