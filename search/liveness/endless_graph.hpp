// SPDX-License-Identifier: Apache-2.0
// EndlessGraph: the whole state graph of a scenario, event by event, as FairCycles needs it. Like the re-execution
// engine it keeps only a world's encoding; it does not run each schedule from its start for one event, but runs on from
// there until it meets a known state.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/core/exploration.hpp"
#include "search/core/walk.hpp"
#include "search/liveness/fair_cycles.hpp"
#include "sim/world/model_factory.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

class EndlessGraph {
 public:
  EndlessGraph(const harness::Scenario& scenario, const harness::Bounds& budget, const Limits& limits)
      : scenario_(scenario), budget_(budget), limits_(limits) {}

  /// The reason for which it was stopped; empty: it was not.
  std::string search();
  [[nodiscard]] const FairCycles& cycles() const { return cycles_; }
  [[nodiscard]] std::uint64_t states() const { return encodings_.size() + 1; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] bool drawn() const { return drawn_; }
  /// The violations and contention on its events: see Walk.
  [[nodiscard]] const PathCoverage& shown() const { return shown_; }
  [[nodiscard]] ModelFactory& models() { return models_; }

  /// The choices of a world that follows these consecutive events from the start. Nothing if it cannot, which would be
  /// an error.
  [[nodiscard]] std::optional<Choices> along(const std::vector<std::uint32_t>& events);

 private:
  struct PendingEvent {
    std::uint32_t state;
    Choices choices;  // of the event, as far as they are given
  };
  struct PathWorld;

  void begin();
  [[nodiscard]] Options options();
  [[nodiscard]] const std::string& wanted(std::uint32_t event) const { return *texts_[cycles_.events()[event].to]; }
  bool find_way(Choices& path, std::size_t events, const std::string& to);
  void walk(const PendingEvent& from);
  std::uint32_t number_of(const PathWorld& walked, bool& is_new);
  [[nodiscard]] Choices path_to(std::uint32_t state) const;

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  const Limits& limits_;
  ModelFactory models_;
  FairCycles cycles_;  // its state 0: before the world is made
  std::map<std::string, std::uint32_t> encodings_;
  std::vector<const std::string*> texts_;  // by state
  std::vector<std::uint32_t> first_;       // the event that first led to a state, by state
  std::vector<std::uint32_t> depth_;       // events on the way there, by state
  std::vector<Choices> choices_;           // by event
  std::map<std::pair<std::uint32_t, Choices>, std::uint32_t> acts_;
  std::deque<PendingEvent> todo_;
  std::uint64_t encoding_bytes_ = 0, choice_bytes_ = 0;
  bool restart_ = false, drawn_ = false;
  ClockDetail detail_ = ClockDetail::relative;
  PathCoverage shown_;
};

}  // namespace lockproof::sim
