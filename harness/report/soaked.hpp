// SPDX-License-Identifier: Apache-2.0
// What a soak on real servers found, for people and for machines (JSON).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/report/subject.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::harness {

struct SoakedReport : Subject {
  struct ViolationClass {
    std::string property, kind;
    std::string claim;  // what the lock says of it
    bool operator==(const ViolationClass&) const = default;
  };
  struct Violation {
    ViolationClass way;
    std::string by;                 // the kinds of faults that those runs had, in words; empty: none
    std::uint64_t runs = 0;         // that violated it so
    std::uint64_t number = 0;       // of the first of them
    double seconds = 0;             // until it had ended
    std::string what;               // the finding of that run
    std::string faults;             // in words
    std::string found;              // file; empty: not saved
    std::string shown_by;           // the violation that the same run showed, too; then nothing that follows
    std::string smallest;           // faults of the smallest cause, in words; empty: the simulator does not show it
    std::string not_smaller;        // why there is none
    std::string smallest_file;      // empty: not saved
    std::string trace_replay;       // confirmed, diverged, not-reproducible; empty: there is no smallest cause
    std::string trace_replay_text;  // what came of it, or why it is not reproducible
  };
  std::string budget;
  std::uint64_t seed = 1, runs = 0, late = 0, refused = 0;
  std::string refusal;
  std::map<std::string, std::uint64_t> faults;  // that the runs were given, by kind
  std::set<std::string> never_struck;           // kinds of faults of the budget, that none of them was given
  unsigned jobs = 1;
  double seconds = 0;
  bool interrupted = false;
  std::vector<Violation> violated;  // those of one way one behind the other
  std::string reproduce;
};

[[nodiscard]] std::string soaked_text(const SoakedReport& report, const Style& style);
[[nodiscard]] std::string soaked_json(const SoakedReport& report);
/// 0: nothing was violated; 1: something was; 2: no run was made.
[[nodiscard]] int exit_code_of(const SoakedReport& report);

}  // namespace lockproof::harness
