// SPDX-License-Identifier: Apache-2.0
// Lookahead: at which instants clients may ask for the lock in a state that is known by the path to it. To see what
// will be due, worlds walk on from there, in each order of what happens at one instant, while no fault strikes and
// nobody asks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/explore/exploration.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

class Lookahead {
 public:
  struct Asked {
    int client = 0;  // by number
    Duration after{};
  };

  /// All must outlive it. `reduced`: paths are made with the reduction of ties. `stop`: when it is requested, Stopped
  /// is thrown.
  Lookahead(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, bool reduced,
            std::stop_token stop)
      : scenario_(scenario), budget_(budget), models_(models), reduced_(reduced), stop_(std::move(stop)),
        rule_(scenario, &budget) {}

  /// Who may ask before the next event, and when. `events`: how many the path has, without the making of the world.
  [[nodiscard]] std::vector<Asked> asks(const Choices& path, int events);

 private:
  struct Next {
    Choices path;
    std::string encoding;
  };
  [[nodiscard]] std::vector<Next> without_faults(const Choices& path, int events) const;
  /// A state, and what was found out about what comes of it.
  struct Ahead {
    std::vector<Duration> due{};  // in the state itself: when something happens, or is over
    std::optional<Duration> next{};
    std::vector<Next> then{};
    bool walked = false;  // whether `then` is known
    Duration within{-1};  // how far `foreseen` reaches
    std::vector<Duration> foreseen{};
  };
  [[nodiscard]] const std::vector<Duration>& foreseen(const Next& state, int events, Duration within);

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  ModelFactory& models_;
  const bool reduced_;
  const std::stop_token stop_;
  const AskingRule rule_;
  std::map<std::string, Ahead> ahead_;  // by a state's encoding
};

}  // namespace lockproof::sim
