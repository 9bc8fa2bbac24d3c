// SPDX-License-Identifier: Apache-2.0
// Canonical state: what a process keeps between two steps, free of absolute time and of global names, so that states of
// different runs, hosts and instants can be compared. Instants become the time from now; tokens become t1, t2, … in
// order of first sight.
#pragma once

#include <map>
#include <string>

#include "algorithms/port/lock.hpp"
#include "harness/history/event.hpp"
#include "harness/workload/life.hpp"

namespace lockproof::harness {

/// Gives values their canonical form. One renamer for all hosts of a world, so that equal tokens stay equal.
class Renamer {
 public:
  /// `now`: the wall clock, in milliseconds, by which a stamp is to be read.
  [[nodiscard]] Value canonical(const Value& value, std::int64_t now_wall_ms);

 private:
  std::map<std::string, std::string, std::less<>> tokens_;
};

struct CanonicalProcess {
  Life life;
  State lock;
  bool operator==(const CanonicalProcess&) const = default;
};

/// Complete only while no step of the process is in flight.
[[nodiscard]] CanonicalProcess canonical(const Life& life, const State& lock, const Readings& now, Renamer& renamer);

}  // namespace lockproof::harness
