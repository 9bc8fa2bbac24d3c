// SPDX-License-Identifier: Apache-2.0
// What a search over all schedules answered, for machines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/program/executed.hpp"
#include "harness/report/subject.hpp"

namespace lockproof::harness {

/// A least set of faults that is enough for a kind of violation.
struct ExploredCause {
  std::string property, kind;
  std::vector<std::string> faults, places;  // "pause (client)", "while it has the lock"
  bool preventable = true;                  // by a lock of the service
  int events = 0;
  std::string scenario, file;  // a witness; where it was saved, if anywhere
};

struct ExploredReport : Subject {
  std::string engine;
  std::size_t parts = 0;    // it was searched in so many; 0: as a whole
  std::uint64_t drawn = 0;  // runs, before it was searched in parts
  std::vector<std::string> reductions;
  std::string grid;
  int max_faults = 0;
  std::vector<std::string> never_struck;  // faults of the budget; of a complete search
  bool complete = false;
  std::string stopped;  // why, if it is not complete
  /// Then every schedule with fewer faults than the first number was searched, with as many up to so many events.
  std::optional<std::pair<int, int>> reached;
  std::optional<std::uint64_t> percent_estimate;  // of the space, that was visited
  std::uint64_t states = 0, transitions = 0, terminal = 0, bytes = 0;
  /// Of the terminal states: nothing goes on there but a program that has not answered for as long as the scenario
  /// allows; something still goes on at the scenario's horizon.
  std::uint64_t unanswered = 0, at_horizon = 0;
  int depth = 0;
  double seconds = 0;
  std::uint64_t held = 0;  // bytes of memory that the process had at the end, what was learnt included
  std::vector<check::Compared> properties;
  std::string counterexample;                                      // of the worst violation, as a scenario; empty: none
  std::map<std::string, std::string> saved;                        // by property: the file of its counterexample
  std::optional<std::vector<ExploredCause>> causes;                // if all were looked for
  std::vector<std::pair<std::string, std::string>> violations;     // property and kind, of each counterexample
  std::vector<std::pair<std::string, std::string>> unpreventable;  // … by any lock of the service
  std::string happened;  // in the violation with the fewest faults, as a sentence; empty: there is none
  std::string reproduce;
  std::optional<ExecutedPrograms> programs;  // in virtual time
};

[[nodiscard]] std::string explored_json(const ExploredReport& report);

}  // namespace lockproof::harness
