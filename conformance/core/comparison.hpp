// SPDX-License-Identifier: Apache-2.0
// Comparison: a model next to the real server that it is a model of, and the loop that looks for a difference. It draws
// a sequence, runs it on both sides, and throws it away if the machine was late for it. It shrinks what differs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "conformance/core/report.hpp"
#include "real/errors.hpp"
#include "sim/kernel/shrink.hpp"

namespace lockproof::conformance {

/// What the two sides did, where they did not do the same.
struct Mismatch {
  std::string simulated, real;
  std::string what{};     // what differs; empty: the reply
  std::size_t steps = 0;  // up to the one that shows it; 0: all that were run
};

struct Rules {
  std::size_t sequence_steps;  // then both sides begin anew
  /// A difference counts only if a replay shows one again. Only for sides that go by the machine's clock: elsewhere a
  /// difference is one, even if it comes once.
  bool depends_on_time = false;
};

template <class StepOf, class MismatchOf = Mismatch>
class Comparison : public PinnedObject {
 public:
  using Steps = std::vector<StepOf>;
  using OptionalMismatch = std::optional<MismatchOf>;
  virtual ~Comparison() = default;
  explicit Comparison(Rules rules) : rules_(rules) {}
  [[nodiscard]] const Rules& rules() const { return rules_; }

  /// Both sides are as they were when they began, and what is drawn is a new sequence.
  virtual void begin() = 0;
  /// Draws the next steps, at least one and with at most `left` commands, runs them on both sides, appends and counts
  /// them.
  [[nodiscard]] virtual OptionalMismatch advance(Steps& steps, Report& report, std::uint64_t left) = 0;
  /// What shows only when the sequence is over.
  [[nodiscard]] virtual OptionalMismatch finish() { return std::nullopt; }
  /// Whether the machine was so late that what was run since the beginning cannot be compared. Asked for after each
  /// step: it must not take time.
  [[nodiscard]] virtual bool late() { return false; }
  /// Runs a whole sequence from the beginning.
  [[nodiscard]] virtual OptionalMismatch replay(const Steps& steps) = 0;
  /// Adds what both sides have counted in all sequences.
  virtual void add_totals(Report& /*report*/) const {}

  [[nodiscard]] virtual std::string text_of(const Steps& steps) const = 0;
  /// A test that passes once the model is corrected.
  [[nodiscard]] virtual std::string test_of(const Steps& /*steps*/, const MismatchOf& /*mismatch*/) const { return ""; }

 private:
  const Rules rules_;
};

/// Draws one step at a time, and runs it at once.
template <class StepOf>
class StepwiseComparison : public Comparison<StepOf> {
 public:
  using typename Comparison<StepOf>::Steps;
  using typename Comparison<StepOf>::OptionalMismatch;
  using Comparison<StepOf>::Comparison;

  [[nodiscard]] OptionalMismatch advance(Steps& steps, Report& report, std::uint64_t /*left*/) override {
    steps.push_back(draw(steps.size()));
    OptionalMismatch found = run(steps.back());
    count(steps.back(), report);
    return found;
  }
  [[nodiscard]] OptionalMismatch replay(const Steps& steps) final {
    reset();
    for (std::size_t done = 0; done < steps.size(); ++done) {
      OptionalMismatch found = run(steps[done]);
      if (this->late()) return std::nullopt;
      if (!found) continue;
      found->steps = done + 1;
      return found;
    }
    return this->finish();
  }
  void begin() override { reset(); }

 protected:
  virtual void reset() = 0;
  /// `place`: how many steps of the sequence there are already.
  [[nodiscard]] virtual StepOf draw(std::size_t place) = 0;
  [[nodiscard]] virtual OptionalMismatch run(const StepOf& step) = 0;
  /// Counts the step that was run last.
  virtual void count(const StepOf& step, Report& report) = 0;
};

namespace comparing {

inline constexpr int late_replays_most = 5;
inline constexpr int confirmations = 3;         // replays of which one must show a difference again
inline constexpr std::uint64_t lost_most = 10;  // sequences for each that was compared, and as many at first

/// Nothing, too, if the machine was late for every try.
template <class StepOf, class MismatchOf>
std::optional<MismatchOf> replay_in_time(Comparison<StepOf, MismatchOf>& comparison, const std::vector<StepOf>& steps) {
  for (int i = 0; i < late_replays_most; ++i) {
    auto found = comparison.replay(steps);
    if (!comparison.late()) return found;
  }
  return std::nullopt;
}

template <class StepOf, class MismatchOf>
bool is_confirmed(Comparison<StepOf, MismatchOf>& comparison, const std::vector<StepOf>& steps) {
  if (!comparison.rules().depends_on_time) return true;
  for (int i = 0; i < confirmations; ++i) {
    if (replay_in_time(comparison, steps)) return true;
  }
  return false;
}

/// Keeps the fewest steps that show a difference in the same thing; all of them where no replay shows it.
template <class StepOf, class MismatchOf>
void shrink(Comparison<StepOf, MismatchOf>& comparison, std::vector<StepOf>& steps, MismatchOf& mismatch) {
  const auto cut = [](std::vector<StepOf> all, const MismatchOf& found) {
    if (found.steps > 0 && found.steps < all.size())
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(found.steps), all.end());
    return all;
  };
  const auto whole = replay_in_time(comparison, steps);
  if (!whole && !comparison.late()) return;  // it came once; a machine that is late for all may be in time for fewer
  const MismatchOf first = whole ? *whole : mismatch;
  const std::vector<StepOf> all = cut(std::exchange(steps, {}), first);
  const auto some = [&](const sim::Subset& members) {
    std::vector<StepOf> kept;
    for (const std::size_t member : members) kept.push_back(all[member]);
    return kept;
  };
  const auto least = some(sim::ddmin(all.size(), [&](const sim::Subset& members) {
    const auto found = replay_in_time(comparison, some(members));
    return found && found->what == first.what;
  }));
  const auto last = replay_in_time(comparison, least);
  mismatch = last ? *last : first;
  steps = last ? cut(least, *last) : all;
}

/// A sequence that is thrown away is not counted.
template <class StepOf, class MismatchOf>
void run_sequence(Comparison<StepOf, MismatchOf>& comparison, const Options& options, Report& report) {
  std::vector<StepOf> steps;
  Report then = report;
  std::optional<MismatchOf> found;
  comparison.begin();
  bool late = false;
  while (!found && !late && steps.size() < comparison.rules().sequence_steps && then.commands < options.commands) {
    found = comparison.advance(steps, then, options.commands - then.commands);
    late = comparison.late();
  }
  if (!found && !late) {
    found = comparison.finish();
    late = comparison.late();
  }
  if (late) {
    ++report.thrown_away;
  } else if (found && !is_confirmed(comparison, steps)) {
    ++report.unconfirmed;
  } else {
    report = std::move(then);
    ++report.sequences;
    comparison.add_totals(report);
    if (!found) return;
    if (found->steps > 0) steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(found->steps), steps.end());
    if (options.shrinks) shrink(comparison, steps, *found);
    report.difference = Difference{steps.size(), comparison.text_of(steps),        found->what, found->simulated,
                                   found->real,  comparison.test_of(steps, *found)};
  }
}

}  // namespace comparing

/// Ends at the first difference. Throws real::BadEnvironment.
template <class StepOf, class MismatchOf>
[[nodiscard]] Report compare(Comparison<StepOf, MismatchOf>& comparison, const Options& options, std::string version) {
  Report report{.version = std::move(version)};
  while (report.commands < options.commands && !report.difference) {
    comparing::run_sequence(comparison, options, report);
    if (report.thrown_away + report.unconfirmed > comparing::lost_most * (report.sequences + comparing::lost_most)) {
      throw real::BadEnvironment("the machine is too late for a comparison; try again when it does less");
    }
  }
  return report;
}

}  // namespace lockproof::conformance
