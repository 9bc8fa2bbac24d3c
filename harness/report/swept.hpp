// SPDX-License-Identifier: Apache-2.0
// What a sweep over a program found: every kind of fault at every event of its runs without faults. For people and for
// machines (JSON, JUnit).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/subject.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::harness {

/// A violation, as groups tell them apart.
struct SweptViolation {
  std::string property, kind;
  auto operator<=>(const SweptViolation&) const = default;
};

struct SweptReport : Subject {
  /// One fault at one event, in one run or in several.
  struct Strike {
    std::string fault;   // "pause"; of the runs without faults: empty
    std::string place;   // "client-1 before SET free", without its number
    std::string event;   // "client-1 before SET free #1"
    std::string second;  // another fault besides: "crash client-2 enters"; empty: none
    int runs = 0, struck = 0, late = 0;
    std::map<SweptViolation, int> found;              // in how many of the runs
    std::map<SweptViolation, std::string> sentences;  // of the first of them
  };
  /// Violations that are alike: the same way, by the same fault, at events that differ in their number only.
  struct Group {
    SweptViolation way;
    std::string fault, second;
    std::vector<std::string> events;
    std::string sentence;
    int runs = 0, found = 0;  // of the first event, with its repetitions
    bool flushed = false;     // the servers had lost their keys
    std::string file;         // the scenario of the first event; empty: not written
  };
  std::string program;                    // as it calls itself
  ProgramKey key;                         // that the lock is on servers
  int references = 0;                     // runs without faults
  std::vector<std::string> events;        // that all of these have
  std::vector<std::string> not_in_every;  // that only some have: nothing strikes there
  std::vector<std::string> kinds;         // of faults, in the order of the table's columns
  std::vector<Strike> strikes;
  std::vector<Group> groups;  // in order of what is worth knowing
  std::uint64_t runs = 0;
  std::size_t left_out = 0;  // strikes for which there was no time
  std::string followed;      // for how long a struck program was followed after its last round: "300ms"
  unsigned jobs = 1;
  double seconds = 0;   // of the machine; in virtual time: not said
  bool traced = false;  // made in virtual time
  std::string digest;   // … of all its runs: two sweeps are equal when these are
  std::string reproduce;
};

/// Makes the groups from the strikes. REQUIRES: there are none yet.
void group(SweptReport& report);
[[nodiscard]] std::string swept_text(const SweptReport& report, const Style& style);
[[nodiscard]] std::string swept_json(const SweptReport& report);
/// What swept_json wrote; its groups are made anew, without files. Throws a std::exception if it is something else.
[[nodiscard]] SweptReport swept_from_json(const std::string& text);
[[nodiscard]] std::string swept_junit(const SweptReport& report);
/// 0: nothing was violated; 1: something was; 2: no strike was made; 3: something was violated in some repetitions
/// only.
[[nodiscard]] int exit_code_of(const SweptReport& report);

}  // namespace lockproof::harness
