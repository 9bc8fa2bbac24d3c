// SPDX-License-Identifier: Apache-2.0
// Lookahead: the instants at which clients may ask for the lock in a state that is given by the path to it. To find
// what will be due, worlds run on from there, in each order of the events of one instant, without faults and without
// asks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/core/exploration.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

class Lookahead {
 public:
  struct ConnectingAsk {
    int client = 0;  // by number
    Duration after{};
    bool connects = false;  // see Ask
  };

  /// REQUIRES: all arguments outlive it. `reduced`: paths are made with the reduction of ties. `stop`: when it is
  /// requested, Cancellation is thrown.
  Lookahead(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, bool reduced,
            std::stop_token stop)
      : scenario_(scenario), budget_(budget), models_(models), reduced_(reduced), stop_(std::move(stop)),
        rule_(scenario, &budget) {}

  /// The clients that may ask before the next event, and when. `events`: the length of the path, without the making of
  /// the world.
  [[nodiscard]] std::vector<ConnectingAsk> asks(const Choices& path, int events);

 private:
  struct PathState {
    Choices path;
    std::string encoding;
  };
  [[nodiscard]] std::vector<PathState> without_faults(const Choices& path, int events) const;
  /// A state, and what was found out about its future.
  struct StateFuture {
    std::vector<Duration> due{};  // in the state itself: the instants at which an event happens, or something expires
    std::optional<Duration> next{};
    std::vector<PathState> then{};
    bool walked = false;  // whether `then` is known
    Duration within{-1};  // how far `foreseen` reaches
    std::vector<Duration> foreseen{};
  };
  /// `before`: events at the same instant through which it came here.
  [[nodiscard]] const std::vector<Duration>& foreseen(const PathState& state, int events, Duration within,
                                                      int before = 0);

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  ModelFactory& models_;
  const bool reduced_;
  const std::stop_token stop_;
  const AskingRule rule_;
  std::map<std::string, StateFuture> ahead_;  // by a state's encoding
};

}  // namespace lockproof::sim
