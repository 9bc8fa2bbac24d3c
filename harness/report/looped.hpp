// SPDX-License-Identifier: Apache-2.0
// Looped: what a search for schedules without progress found, for machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/subject.hpp"

namespace lockproof::harness {

struct LoopedReport : Subject {
  struct Loop {
    std::string kind, client;
    int faults = 0;
    std::uint64_t stem = 0, turn = 0;  // events
    Duration stem_lasts{}, turn_lasts{};
    std::string file;  // empty: not saved
  };
  check::Compared liveness;
  bool complete = false;
  std::string stopped;
  std::uint64_t states = 0, transitions = 0;
  int max_faults = 0;
  double seconds = 0;
  std::vector<Loop> loops;
  /// Schedules in which the faults stopped, where the graph was not searched to its end.
  struct Finish {
    std::uint64_t runs = 0;
    Duration within{};
    double seconds = 0;
    struct Stuck {
      std::string kind;
      std::uint64_t runs = 0;
      std::string file;  // empty: not saved
    };
    std::vector<Stuck> stuck;
  };
  std::optional<Finish> finish;
  std::string reproduce;
};

[[nodiscard]] std::string looped_json(const LoopedReport& report);

}  // namespace lockproof::harness
