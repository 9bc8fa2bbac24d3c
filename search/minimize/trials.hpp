// SPDX-License-Identifier: Apache-2.0
// Trials: whether a smaller scenario still breaks a property in one kind. The smaller scenario's schedules are
// searched, up to a number of states; it is not just run again.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "search/core/exploration.hpp"
#include "search/minimize/cause.hpp"
#include "search/results/counterexample.hpp"
#include "search/search.hpp"

namespace lockproof::sim {

enum class Answer : std::uint8_t {
  breaks,
  longer,     // no violation within as many events as the shortest known one; it may come later
  holds,      // in every schedule
  vacuous,    // the same, but in none is the lock acquired, or in none do two clients want it at once
  undecided,  // a limit came first
  otherwise,  // it breaks by another cause: another failure
};

struct Trial {
  Answer answer = Answer::undecided;
  std::uint64_t states = 0;
  std::optional<Counterexample> shown{};  // if it breaks
  int events = 0;                         // until the violation; 0 where that is not known
  bool ran_only = false;                  // found by a run, with all its steps
  bool other_kind = false;                // the property was seen to break in another kind
};

/// Whether no schedule breaks it.
[[nodiscard]] inline bool never_breaks(Answer answer) { return answer == Answer::holds || answer == Answer::vacuous; }

/// The violation of some schedule of a scenario.
struct AnyViolation {
  std::optional<ViolationKind> way{};
  Answer answer = Answer::undecided;
  std::uint64_t states = 0;
  bool stopped = false;  // a stop was requested
};
/// The first violation found of the given properties.
[[nodiscard]] AnyViolation any_way(const harness::Scenario& scenario,
                                   const std::function<bool(const std::string&)>& asked, const search::Limits& limits);

class Trials {
 public:
  static constexpr int any_length = std::numeric_limits<int>::max();

  Trials(ViolationKind way, search::Limits limits) : way_(std::move(way)), limits_(std::move(limits)) {}

  /// With these faults, placed as they are; orders and latencies are free.
  Trial fixed(const harness::Scenario& candidate, int events_most = any_length);
  /// With at most this number of these faults, wherever they strike.
  Trial anywhere(const harness::Scenario& candidate, std::size_t faults, int events_most = any_length);
  /// By some runs that follow the candidate's steps as far as they fit. The answer is never `holds`, but `undecided`.
  Trial rerun(const harness::Scenario& candidate, int events_most = any_length);

  /// From now on what has another cause is not taken for the violation: then the answer is `otherwise`.
  void keep(Cause cause) { cause_ = std::move(cause); }

  /// Ends each search sooner, and does not count it as undecided, until it is switched off.
  void hurry(bool hurried) {
    hurried_ = hurried;
    gave_up_ = false;
  }
  /// A search in this mode was ended.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  [[nodiscard]] const ViolationKind& way() const { return way_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t undecided() const { return undecided_; }
  [[nodiscard]] std::uint64_t states() const { return states_; }
  /// A stop was requested. Every later answer is undecided.
  [[nodiscard]] bool stopped() const { return stopped_ || limits_.stop.stop_requested(); }

 private:
  /// Whether it has the cause that is to be kept.
  [[nodiscard]] bool is_kept(const Counterexample& shown) const;
  [[nodiscard]] harness::Bounds budget_of(const harness::Scenario& candidate, std::size_t most) const;
  Trial search(harness::Scenario candidate, const harness::Bounds& budget, int events_most);

  const ViolationKind way_;
  const search::Limits limits_;
  std::optional<Cause> cause_{};
  bool hurried_ = false, gave_up_ = false;
  std::uint64_t count_ = 0, undecided_ = 0, states_ = 0;
  bool stopped_ = false, was_undecided_ = false;  // about the latest search
};

}  // namespace lockproof::sim
