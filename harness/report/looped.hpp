// SPDX-License-Identifier: Apache-2.0
// Looped: what a search for schedules without progress found, for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "harness/check/expectation.hpp"

namespace lockproof::harness {

struct LoopedReport {
  struct Loop {
    std::string kind, client;
    int faults = 0;
    std::uint64_t stem = 0, turn = 0;  // events
    Duration stem_lasts{}, turn_lasts{};
    std::string file;  // empty: not saved
  };
  std::string scenario, file, algorithm, title;
  check::Compared progress;
  bool complete = false;
  std::string stopped;
  std::uint64_t states = 0, transitions = 0;
  int max_faults = 0;
  double seconds = 0;
  std::vector<Loop> loops;
  std::string reproduce;
};

[[nodiscard]] std::string looped_json(const LoopedReport& report);

}  // namespace lockproof::harness
