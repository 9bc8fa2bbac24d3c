// SPDX-License-Identifier: Apache-2.0
// Trials: whether a smaller scenario still breaks a property in one way. It is not run again as it was: its schedules
// are searched, up to a number of states.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "sim/explore/exploration.hpp"
#include "sim/explore/results/counterexample.hpp"

namespace lockproof::sim {

struct TrialLimits {
  std::uint64_t states = 100'000;  // of one search; of the re-execution engine's, a twentieth
  std::uint64_t bytes = std::uint64_t{4} << 30;
  unsigned workers = 1;
  std::stop_token stop = {}, stop_telling = {};  // see Limits
  /// Asked from time to time, and told how many states this search has visited; false: no more.
  std::function<bool(std::uint64_t states)> go_on = {};
};

enum class Answer : std::uint8_t {
  breaks,
  longer,     // does not break within as many events as the shortest that is known; it may later
  holds,      // in every schedule
  vacuous,    // the same, but in none is the lock acquired, or none has two clients that want it at once
  undecided,  // a limit came first
};

struct Trial {
  Answer answer = Answer::undecided;
  std::uint64_t states = 0;
  std::optional<Counterexample> shown{};  // if it breaks
  int events = 0;                         // until it breaks; 0 where that is not known
  bool ran_only = false;                  // shown by a run, with all its steps
};

/// No schedule breaks it.
[[nodiscard]] inline bool never_breaks(Answer answer) { return answer == Answer::holds || answer == Answer::vacuous; }

/// What some schedule of a scenario breaks.
struct Any {
  std::optional<ViolationKind> way{};
  Answer answer = Answer::undecided;
  std::uint64_t states = 0;
  bool stopped = false;  // it was told to
};
/// The first that is found of the properties that are asked for.
[[nodiscard]] Any any_way(const harness::Scenario& scenario, const std::function<bool(const std::string&)>& asked,
                          const TrialLimits& limits);

/// Events of the scenario's run until it breaks a property in this way; of all of it, if it does not.
[[nodiscard]] int events_until(const harness::Scenario& scenario, const ViolationKind& way);

class Trials {
 public:
  static constexpr int any_length = std::numeric_limits<int>::max();

  Trials(ViolationKind way, TrialLimits limits) : way_(std::move(way)), limits_(std::move(limits)) {}

  /// With these faults, placed as they are; orders and latencies are free.
  Trial fixed(const harness::Scenario& candidate, int events_most = any_length);
  /// With at most so many of these faults, wherever they strike.
  Trial anywhere(const harness::Scenario& candidate, std::size_t faults, int events_most = any_length);
  /// By some runs that follow the candidate's steps as far as they fit. Holds: never; undecided.
  Trial rerun(const harness::Scenario& candidate, int events_most = any_length);

  /// Gives each search up sooner, and does not count it as undecided, until told otherwise.
  void hurry(bool hurried) {
    hurried_ = hurried;
    gave_up_ = false;
  }
  /// A search in this hurry was given up.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  [[nodiscard]] const ViolationKind& way() const { return way_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t undecided() const { return undecided_; }
  [[nodiscard]] std::uint64_t states() const { return states_; }
  /// It was told to stop. Whatever is asked now is undecided.
  [[nodiscard]] bool stopped() const { return stopped_ || limits_.stop.stop_requested(); }

 private:
  Trial search(harness::Scenario candidate, const harness::Bounds& budget, int events_most);

  const ViolationKind way_;
  const TrialLimits limits_;
  bool hurried_ = false, gave_up_ = false;
  std::uint64_t count_ = 0, undecided_ = 0, states_ = 0;
  bool stopped_ = false, was_undecided_ = false;  // the latest search
};

/// The scenario as it is, with the verdicts of its run as what is expected of it; nothing if the run does not break the
/// property in this way.
[[nodiscard]] std::optional<Counterexample> as_counterexample(harness::Scenario scenario, const ViolationKind& way);

}  // namespace lockproof::sim
