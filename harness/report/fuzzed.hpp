// SPDX-License-Identifier: Apache-2.0
// What many runs of one scenario found, for machines, and back from there: results of shards are merged.
#pragma once

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/report/verdicts.hpp"

namespace lockproof::harness {

/// A violation in one way, or a property that was not decided.
struct FuzzViolation {
  std::string property, kind;
  std::uint64_t runs = 0;   // with it
  std::uint64_t first = 0;  // number of the first of them, from 0
  std::string what;         // of that run
  std::vector<std::size_t> events;
  bool operator==(const FuzzViolation&) const = default;
};

struct FuzzReport {
  RunReport run;  // its `runs` are those that were made
  std::string strategy;
  int depth = 0;                       // pct
  std::string budget;                  // where the bounds come from: a file, "[explore]"; empty: none
  std::string within;                  // they, in words
  std::set<std::string> never_struck;  // kinds of faults of the bounds, in none of the runs
  std::uint64_t asked = 0;             // runs of the whole fuzzing run
  std::uint64_t part = 1, of = 1;
  std::uint64_t merged = 0;  // shards, where together they are not what one fuzzing run would have been
  std::string command;       // without what says which runs
  std::vector<FuzzViolation> violated, unknown;  // in the order of property and kind
  std::vector<std::string> not_judged;           // properties whose bound the scenario does not state
  std::vector<std::string> asked_for;            // properties that are judged since it states their bound
  bool of_program = false;                       // it is judged by the properties of programs, too …
  std::vector<std::string> not_claimed;          // … but for these, which it does not claim
  std::uint64_t fresh = 0;                       // guided: runs that did not go on from another one
  std::set<std::string> met;                     // guided: combinations
  bool bounded = false;                          // pct: its bound holds …
  std::set<std::string> unbounded;               // … or why it does not
  std::uint64_t threads = 0, k = 0;              // pct
  std::string happened;                          // the first sentence of the explanation of the worst; not in results
  std::string chosen_by_auto;                    // why; empty: it was not asked
  // What results must have in common to be of one fuzzing run, besides.
  std::string scenario_digest, budget_digest, build;
};

/// One object: that of verdict_json and "search". The same fuzz gives the same bytes.
[[nodiscard]] std::string fuzzed_json(const FuzzReport& report);
/// It is such an object, and not as it was written: its checksum says so.
class DamagedReport : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Back from it; throws DamagedReport, or another std::exception if it is none.
[[nodiscard]] FuzzReport fuzzed_from_json(const std::string& text);

}  // namespace lockproof::harness
