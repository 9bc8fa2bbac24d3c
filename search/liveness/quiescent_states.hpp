// SPDX-License-Identifier: Apache-2.0
// QuiescentStates: the part of the state graph in which no client will ask for the lock any more. It ends in states
// after which no event happens, or in cycles that no transition leaves, such as a watchdog that renews indefinitely.
// These show whether the lock stays available.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockproof::sim {

class CheckpointIn;
class CheckpointOut;

class QuiescentStates {
 public:
  struct State {
    std::uint32_t number;
    int faults, depth;
  };

  /// `remains`: what is left on the servers; one of the states with equal remains stands for all.
  void add(State state, std::string remains);
  /// One event leads from one state to another, both quiescent, and no fault strikes.
  void leads(std::uint32_t from, std::uint32_t to) { edges_.emplace_back(from, to); }
  [[nodiscard]] std::uint64_t bytes() const { return states_.size() * sizeof(State) * 2 + edges_.size() * 8; }

  void write(CheckpointOut& out) const;
  /// REQUIRES: it is empty.
  void read(CheckpointIn& in);

  /// The ends: of each bottom component (a strongly connected one that no edge leaves) the state with the fewest faults
  /// and events, and of those with equal remains again the one with the fewest. In that order.
  [[nodiscard]] std::vector<State> ends() const;

 private:
  std::vector<State> states_;
  std::vector<std::uint32_t> remains_;  // by a state's number
  std::map<std::string, std::uint32_t> known_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace lockproof::sim
