// SPDX-License-Identifier: Apache-2.0
// Samplers: the choosers that draw a schedule where a space is too large to search: evenly, with a habit of their own
// (swarm), and by priorities (PCT). All draw beforehand at which occasions faults of a budget will strike: whoever
// tosses a coin at each occasion spends the budget at the first few.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/kernel/chooser.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/services/redis/script_engine.hpp"

namespace lockproof::sim {

/// What a few random runs without faults of the budget are like, at most: where to place faults and changes.
struct Survey {
  std::uint64_t events = 1;                 // of a run
  std::uint64_t threads = 1;                // see Threads
  std::uint64_t occasions = 1;              // at which the chooser is asked for a fault
  std::vector<std::uint64_t> occasions_of;  // for each entry of the budget, if it were alone
};
[[nodiscard]] Survey survey(const harness::Scenario& scenario, const harness::Bounds* budget,
                            redis::ScriptEngine& scripts);

/// For whom an event happens: a client, for its messages, their answers and its timers; else the host itself.
class Threads {
 public:
  explicit Threads(const harness::Scenario& scenario) : clients_(scenario.host_names(true, false)) {}
  [[nodiscard]] std::string of(const harness::EventName& event) const;

 private:
  std::vector<std::string> clients_;
};

/// What a plan of strikes is drawn from.
struct Strikes {
  int most = 0;                 // in a run
  std::uint64_t occasions = 1;  // that a run has, about
  std::uint64_t kinds = 1;      // of faults
  std::uint64_t at_start = 0;   // of these, that strike at the first occasion only, which then is the start
};
[[nodiscard]] Strikes strikes_of(const harness::Bounds* budget, std::uint64_t occasions);

/// At which of the times that a run asks for a fault one strikes: some of the budget's number, evenly over as many as a
/// run has, seldom later; at the start as often as a kind of fault that strikes then would be chosen.
class StrikePlan {
 public:
  StrikePlan(std::uint64_t seed, const Strikes& strikes);
  [[nodiscard]] std::size_t strike(std::size_t count);

 private:
  RandomBits bits_;
  std::multiset<std::uint64_t> at_;
  std::uint64_t asked_ = 0;
};

/// How a run decides, from its first event to its last.
struct Habit {
  enum class Ties : std::uint8_t { evenly, first, last, by_thread };
  enum class Durations : std::uint8_t { evenly, ends, least };
  Ties ties = Ties::evenly;
  Durations durations = Durations::evenly;
};

/// Before one event in eight somebody asks, at any of the instants that the offer knows.
[[nodiscard]] std::optional<Ask> drawn_ask(RandomBits& bits, const AskOffer& offer);

/// Evenly, or with another habit. Without one and without a budget it is the RandomChooser.
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
  /// Whether anything was decided but by priorities: a duration, a fault, or between two events of one thread.
  [[nodiscard]] bool drew_else() const { return drew_else_; }

 private:
  std::uint64_t& priority(const std::string& thread);
  [[nodiscard]] std::size_t highest(std::size_t count, const NameOf& name);

  Threads threads_;
  std::uint64_t seed_;
  RandomBits bits_;
  StrikePlan plan_;
  bool by_rank_;
  std::map<std::uint64_t, std::uint64_t> changes_;  // at which event, to which priority
  std::map<std::string, std::uint64_t> priorities_;
  std::uint64_t event_ = 0;
  bool drew_else_ = false;
};

/// A number that depends on all of the seed and the name, and on nothing else.
[[nodiscard]] std::uint64_t mixed(std::uint64_t seed, std::string_view name);

}  // namespace lockproof::sim
