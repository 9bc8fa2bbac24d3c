// SPDX-License-Identifier: Apache-2.0
// The front door of the search. A question is a scenario, bounds, and what is to be found; the answer says what is
// violated, what was searched, what was not, and why it ended. It chooses the engine, falls back to the other one, and
// parts the question: whoever asks need not know how.
//
// A question begins with a search of few states. If that is not the whole space, runs are drawn within the bounds,
// since they often show soon what a search reaches late; then each part of the budget is searched by itself, small
// parts first, on all workers. Drawn runs prove nothing: `holds` is only said of what was searched. Whoever asks many
// questions can have the runs drawn last.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "search/core/exploration.hpp"
#include "search/results/counterexample.hpp"
#include "search/results/parted.hpp"

namespace lockproof::search {

/// States of a search that comes first, before any goes on.
inline constexpr std::uint64_t few_states = 20'000;

/// Work comes first, so that a busy machine answers as an idle one.
struct Limits {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  /// States of each search that a question is made of. One of the re-execution engine counts twenty times.
  std::uint64_t work = none;
  std::uint64_t paths = none;  // of each search, see sim::Progress
  std::uint64_t bytes = none;  // held for what was visited, estimated
  unsigned workers = 1;
  std::stop_token stop{};                             // ends the search
  std::stop_token stop_telling{};                     // requested later: ends what is made of its result, too
  std::function<bool(const sim::Progress&)> go_on{};  // called from time to time, one call at a time; false: stop
};

enum class Goal : std::uint8_t {
  kinds,       // for each kind of violation, a schedule with the fewest faults, and then events
  causes,      // … and for each least set of faults, told apart by where they strike
  fault_sets,  // … and for each least set of entries of the budget
};

enum class Engine : std::uint8_t {
  either,
  stateful,
  reexecution,
  zones,  // any timing within ranges, where the other engines try points
};

struct Question {
  harness::Scenario scenario;  // as it is written
  harness::Bounds bounds;
  bool alone = false;  // the bounds are the only source of faults: the scenario's own are left out
  Goal goal = Goal::kinds;
  bool tells_unpreventable = false;  // of each kind shows, if it can, a schedule that a lock of the service can prevent
  /// Called with the kinds that were found; true: it is enough. Empty: all are looked for.
  std::function<bool(const std::set<sim::ViolationKind>&)> enough{};
  Engine engine = Engine::either;
  bool reduces = true;        // leaves out orders that commute
  bool exchanges = true;      // … and all but one of the states that differ in the places of interchangeable clients
  bool probes = true;         // judges deadlock-freedom where no bound in time is stated
  bool estimates = false;     // estimates the share that was visited, if it is stopped
  bool written_first = true;  // looks first at clients that ask as the scenario says
  bool in_parts = true;       // may draw runs, and search the budget's parts one by one
  bool small_first = true;    // begins with few states, where the budget has parts
  /// Lets clocks of different rates drift before anybody asks. Where points of time are searched whole, zones, which
  /// know all starts, are asked as well; if they leave something open, some late starts are searched. REQUIRES:
  /// Engine::either, Goal::kinds.
  bool drifts = false;
  bool draws_last = false;           // draws runs only for what the search leaves open, of few_states events at most
  sim::StateGraph* graph = nullptr;  // what is visited is added to it; only the re-execution engine does
  /// Opens a checkpoint, when a limit has stopped a search of the whole; a search of parts has none.
  std::function<void(const sim::WriteCheckpoint& write)> save{};
  sim::CheckpointIn* resume = nullptr;  // goes on from there, with the whole
  /// Called before the re-execution engine begins in the place of the other one.
  std::function<void(const std::string& why)> changes_engine{};
};

/// Why it ended.
enum class End : std::uint8_t {
  complete,
  enough,           // by Question::enough
  limit,            // one of Limits came first
  unrepresentable,  // at a state that the chosen engine cannot represent
  horizon,          // something still went on at the scenario's horizon
  difference,       // a program did something else when it was fed the same again
};

/// Of a search in parts, one of them.
struct PartResult {
  std::string faults;  // "pause 1 s (client)"; two are joined by " + "
  bool whole = false;  // its schedules were all searched
  std::uint64_t states = 0;
};

struct Answer {
  harness::Scenario scenario;  // as it was searched
  harness::Bounds bounds;
  sim::PartedBudget parted;     // what it was searched with
  sim::Exploration found;       // in numbers of `parted`, but for the faults that have struck
  std::string why_reexecution;  // what the stateful engine cannot search; empty: it searched all
  End end = End::complete;
  std::vector<PartResult> parts;                                        // empty: it was searched as a whole
  std::uint64_t drawn = 0;                                              // runs
  std::map<sim::ViolationKind, sim::Counterexample> counterexamples{};  // see enact_all in search/verdicts.hpp

  /// The violation as a scenario that shows it. Nothing if the run of its schedule does not: then the search is wrong.
  [[nodiscard]] std::optional<sim::Counterexample> counterexample(const sim::ViolationKind& way,
                                                                  const sim::ShortestViolation& broken,
                                                                  Duration horizon,
                                                                  const std::stop_token& stop = {}) const;
};

/// Of `either`: whether the zone engine answers all of it, since it alone can; else the others do, but for bounds in
/// time, which zones judge if they can. Any other one stays what it is. Throws as sim::require_start.
[[nodiscard]] Engine engine_of(const Question& question);

/// Throws sim::CheckpointError, harness::InputError (also for a range that the engine does not search, and for a
/// question that is none for the zone engine), and harness::NotAFunction of a program.
[[nodiscard]] Answer answer(const Question& question, const Limits& limits);

/// The reason, as a noun, for which the re-execution engine searches this question; empty: the stateful one does.
[[nodiscard]] std::string why_reexecution(const Question& question);
/// The reason, as a noun, for which the zone engine cannot search this question; empty: it can.
[[nodiscard]] std::string why_no_zones(const Question& question);

}  // namespace lockproof::search
