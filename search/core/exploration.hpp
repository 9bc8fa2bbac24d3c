// SPDX-License-Identifier: Apache-2.0
// Exploration: the input and the result of a search over all schedules. The engines share them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "harness/stop.hpp"
#include "search/core/checkpoint.hpp"
#include "search/core/test_coverage.hpp"
#include "sim/kernel/choices.hpp"
#include "sim/world/clocks.hpp"

namespace lockproof::sim {

class StateGraph;

/// A property, and the kind of its violation.
using ViolationKind = std::pair<std::string, std::string>;

/// An estimate of the share of the space that was visited: see probe.hpp.
struct CoverageEstimate {
  std::uint64_t visited = 0, met = 0;  // states, by random schedules
};

struct Progress {
  std::uint64_t states, transitions, frontier;
  std::uint64_t bytes;              // held for what was visited, estimated
  int faults, depth;                // where the search is: all schedules with fewer are done
  std::uint64_t runs = 0;           // of the code, one event each: what a search costs beside its states
  std::uint64_t paths = 0;          // … without what was run again; always 0 of the re-execution engine
  std::uint64_t inputs = 0;         // … as if all that comes before was run again, which long waits do
  std::size_t part = 0, parts = 0;  // of a search in parts: those that have ended, and all
  std::function<std::optional<CoverageEstimate>()> probe = {};  // takes some milliseconds
};

using WriteCheckpoint = std::function<void(CheckpointOut&)>;

struct Limits {
  unsigned workers = 1;
  std::uint64_t paths = UINT64_MAX;  // see Progress
  std::uint64_t bytes = std::uint64_t{4} << 30;
  bool reduce = true;     // leave out orders of events that commute
  bool exchange = false;  // … and all but one of the states that differ in the places of interchangeable clients
  /// Where clients may ask freely: look first at those that ask as the scenario says, so that what they show is known
  /// soon, and also if a limit stops the rest. What is `enough` there ends the search. See written.hpp.
  bool written_first = false;
  bool by_faults = false;         // look for each violation kind with each set of faults: Exploration::by_faults
  bool depth_first = false;       // for comparison: the same states and transitions, no short paths
  bool probe_clients = true;      // judge deadlock-freedom with them, where no bound in time is stated
  std::size_t live_hosts = 1280;  // isolated hosts that are kept to go on where they stopped; no answer depends on it
  bool estimate = true;           // estimate the visited share when the search is stopped; takes some schedules' time
  StateGraph* graph =
      nullptr;  // what is visited is added to it, in the order of the search; the re-execution engine does
  std::function<bool(const Progress&)> go_on = {};                  // called from time to time; false: stop
  std::stop_token stop = {};                                        // checked all the time: the search ends at once
  std::stop_token stop_telling = {};                                // requested later: ends the work after it, too
  std::function<bool(const std::set<ViolationKind>&)> enough = {};  // called for each new violation kind; true: stop
  /// Called when a limit has stopped the search: it opens a checkpoint and returns it. May throw CheckpointError.
  std::function<void(const WriteCheckpoint& write)> save = {};
  CheckpointIn* resume = nullptr;  // goes on from here; throws CheckpointError if it does not fit
};

/// How a lock is shown to be dead once no client asks for it any more.
struct ProbeClient {
  std::optional<Duration> start{};  // when a probe client asks for it; nothing: a client waits already
  Duration within{};                // no client gets it in this time, nor ever
  std::string lock{};               // its name; empty: that of the first client
};

/// The shortest schedule, among those with the fewest faults, that breaks a property in one kind.
struct ShortestViolation {
  Choices choices;       // as a world asks
  bool reduced = false;  // chosen through the reduction of ties
  int faults = 0;
  int depth = 0;                              // events
  std::optional<ProbeClient> probe_client{};  // the violation comes after the schedule
  bool as_written = false;  // clients ask as the scenario says, though the search lets them ask freely
  std::shared_ptr<const harness::Bounds> within{};  // the part of the budget that it was searched with; null: all of it
  /// It was drawn, and not searched: a run that shows it. There are no choices then.
  std::shared_ptr<const harness::Scenario> drawn{};
  /// The same of a search by zones: it has no choices but numbers, which were chosen for what it found.
  struct ConcreteRun {
    harness::Scenario scenario;
    Duration violated_at{};
  };
  std::shared_ptr<const ConcreteRun> numbered{};
};

/// Exploration::stopped, if all was searched as far as the scenario's horizon, and something went on there.
inline constexpr std::string_view at_the_horizon = "the scenario's horizon was reached";

/// The same, if what was left out is what programs would have done that are no functions of their inputs.
inline constexpr std::string_view at_a_difference = "a program did something else when it was fed the same again";

struct Exploration : TestCoverage {
  bool complete = false;
  std::string stopped;          // why, if it is not complete
  std::string unrepresentable;  // the same, if it is a state that only the re-execution engine can represent
  /// For a search that is not complete: all schedules with fewer than `faults` faults of the budget were visited, and
  /// those with `faults` up to `depth` events.
  struct SearchDepth {
    int faults = 0, depth = 0;
  };
  std::optional<SearchDepth> reached;
  std::optional<CoverageEstimate> probed;
  /// Every schedule was searched, but the fate of a probe client is not known: the reason.
  std::string probes_stopped;
  /// All that was to be followed was, and some states were not to be: see at_the_horizon, at_a_difference.
  [[nodiscard]] bool reached_ends() const { return stopped == at_the_horizon || stopped == at_a_difference; }
  bool saved = false;     // to a checkpoint
  std::string not_saved;  // the reason for which it could not be saved
  std::uint64_t states = 0, transitions = 0, terminal = 0;
  // Of programs, terminal states from which they were not followed: where nothing went on but a program that had not
  // answered for too long, and at the scenario's horizon.
  // Or since a program did something else when it was fed the same again.
  std::uint64_t unanswered = 0, at_horizon = 0, given_up = 0;
  std::uint64_t timed_states = 0;  // of these, with clients that ask as written, for bounds in time
  std::uint64_t bytes = 0;
  int depth = 0;
  ClockDetail detail = ClockDetail::relative;  // of states, by what is read of the clocks
  // Where clients may ask freely: all schedules in which they ask as written were searched before the others, or these
  // alone were searched, in part, and `reached` says how far.
  bool written = false, only_written = false;
  std::vector<Duration> late_starts{};  // of clients whose clocks drift: that were searched, too
  bool every_timing = false;            // within the ranges, and not chosen ones: a state stands for all its timings
  bool exchanged = false;  // a state stands for all that differ from it in the places of interchangeable clients
  /// Found with clients that ask as written, where others ask freely; and the properties judged only there: bounds in
  /// time.
  struct TimedCoverage : TestCoverage {
    std::set<std::string> judged;
    bool every_phase = false;  // of polling, and every timing within the ranges
  };
  std::optional<TimedCoverage> timed;
  std::map<ViolationKind, ShortestViolation> broken;
  /// With by_faults: the minimal counts of the budget's kinds with which a property breaks in one kind.
  std::map<std::pair<ViolationKind, std::vector<int>>, ShortestViolation> by_faults;
  /// What happened in some schedule, without its time and its host: a command's effects, a time-out, the end of a hold.
  /// A fault that adds nothing to those of a search without faults has changed no event. Empty: not known.
  std::set<std::string> outcomes;
  std::map<std::string, std::string> undecided;  // properties of which it was not found out, and why
  std::set<std::string> judged;                  // properties that have a monitor, or for which probe clients were used
};

/// Whether these faults, or a part of them, are known to be enough for the violation kind.
[[nodiscard]] bool are_enough(const Exploration& found, const ViolationKind& way, const std::vector<int>& counts);
/// Removes from Exploration::by_faults the sets of which a part is enough.
void keep_fewest(Exploration& found);
/// Writes the violations to a checkpoint, by faults too. `reduced`: as in ShortestViolation.
void write_broken(const Exploration& found, CheckpointOut& out);
void read_broken(CheckpointIn& in, bool reduced, Exploration& into);

/// Writes the checkpoint of a search that was stopped, if the limits say where to.
void save(const Limits& limits, const WriteCheckpoint& write, Exploration& into);

/// The scenario as the search runs it: within the bounds, without an end. `alone`: the budget is the only source of
/// faults; the scenario's own faults and steps are left out.
[[nodiscard]] harness::Scenario bounded(harness::Scenario scenario, const harness::Bounds& bounds, bool alone);

}  // namespace lockproof::sim
