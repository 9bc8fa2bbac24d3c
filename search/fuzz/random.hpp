// SPDX-License-Identifier: Apache-2.0
// The strategies random and, with habits, swarm: each schedule is drawn event by event.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "search/fuzz/strike_plan.hpp"
#include "search/fuzz/threads.hpp"
#include "sim/kernel/chooser.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {

/// The habits of a run, which hold from its first event to its last.
struct Habit {
  enum class Ties : std::uint8_t { evenly, first, last, by_thread };
  enum class Durations : std::uint8_t { evenly, ends, least };
  Ties ties = Ties::evenly;
  Durations durations = Durations::evenly;
};

/// Before one event in eight a client asks, at one of the instants of the offer.
[[nodiscard]] std::optional<Ask> drawn_ask(RandomBits& bits, const AskOffer& offer);

/// Draws evenly, or by another habit. Without a habit and without a budget it is the RandomChooser.
class SamplingChooser final : public Chooser {
 public:
  SamplingChooser(const harness::Scenario& scenario, std::uint64_t seed, Habit habit, StrikePlan plan)
      : threads_(scenario), seed_(seed), habit_(habit), bits_(seed), plan_(std::move(plan)) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override;
  std::size_t strike(std::size_t count) override { return plan_.strike(count); }
  std::optional<Ask> ask(const AskOffer& offer) override { return drawn_ask(bits_, offer); }
  bool asks_at_once(const AskOffer&) override { return bits_.below(2) == 0; }

 private:
  Threads threads_;
  std::uint64_t seed_;
  Habit habit_;
  RandomBits bits_;
  StrikePlan plan_;
};

}  // namespace lockproof::sim
