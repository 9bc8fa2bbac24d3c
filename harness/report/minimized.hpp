// SPDX-License-Identifier: Apache-2.0
// What minimize found, for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/subject.hpp"

namespace lockproof::harness {

struct MinimizedReport : Subject {
  struct Size {
    std::size_t faults = 0, steps = 0;
    int events = 0;
  };
  struct Change {
    std::string part, what, from, to;  // `to` empty: it was dropped
  };
  struct Less {
    std::string what, answer;
    std::uint64_t states = 0;
  };
  std::string property, kind;
  bool by_its_run = true;
  Size before, after;
  std::vector<Change> changes;
  std::vector<Less> with_less;
  std::uint64_t candidates = 0, undecided = 0, states = 0;
  std::string stopped;  // why before its end; empty: it was not
  std::string minimal;  // the scenario
  std::string saved;    // its file
  int exit_code = 0;
  std::string reproduce;
};

[[nodiscard]] std::string minimized_json(const MinimizedReport& report);

}  // namespace lockproof::harness
