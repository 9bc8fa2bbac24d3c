// SPDX-License-Identifier: Apache-2.0
// The strategy pct: probabilistic concurrency testing.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "search/fuzz/random.hpp"
#include "search/fuzz/survey.hpp"

namespace lockproof::sim {

/// Burckhardt, Kothari, Musuvathi, Nagarakatte: "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs"
/// (ASPLOS 2010). Each thread has a priority, drawn at the start; of the events that are due, one of the highest comes
/// first. At depth - 1 events, drawn beforehand, the thread that would be next gets a priority below all others.
/// Latencies are drawn evenly in one half of the runs; in the other half, the lower the priority, the longer.
class PctChooser final : public Chooser {
 public:
  PctChooser(const harness::Scenario& scenario, std::uint64_t seed, const Survey& survey, int depth, StrikePlan plan);
  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override;
  std::size_t strike(std::size_t count) override { return plan_.strike(count); }
  std::optional<Ask> ask(const AskOffer& offer) override {
    drew_else_ = true;
    return drawn_ask(bits_, offer);
  }
  bool asks_at_once(const AskOffer&) override { return bits_.below(2) == 0; }

  [[nodiscard]] std::uint64_t events() const { return event_; }
  [[nodiscard]] std::uint64_t threads() const { return priorities_.size(); }
  /// Whether anything was drawn other than by priorities: a duration, a fault, or the order of two events of one
  /// thread.
  [[nodiscard]] bool drew_else() const { return drew_else_; }

 private:
  std::uint64_t& priority(const std::string& thread);
  [[nodiscard]] std::size_t highest(std::size_t count, const NameOf& name);

  Threads threads_;
  std::uint64_t seed_;
  RandomBits bits_;
  StrikePlan plan_;
  bool by_rank_;
  std::map<std::uint64_t, std::uint64_t> changes_;  // the priority to be assigned at an event, by event number
  std::map<std::string, std::uint64_t> priorities_;
  std::uint64_t event_ = 0;
  bool drew_else_ = false;
};

}  // namespace lockproof::sim
