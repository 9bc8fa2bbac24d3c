// SPDX-License-Identifier: Apache-2.0
// Bounds: what a search over all schedules may vary, and how far: the [explore] table of a scenario, or a file of its
// own that many scenarios share (scenarios/budgets/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/scenario/fault.hpp"
#include "harness/scenario/spot.hpp"
#include "harness/scenario/window.hpp"

namespace lockproof::harness {

/// How long after a server's command an outage strikes that leaves its answer alone.
inline constexpr Duration behind_the_answer{1};

/// The peer of a partition in a budget that cuts its host off from all others; else it is the other end of a message.
inline constexpr const char* all_hosts = "*";

/// One kind of fault that the search may use, wherever it can strike.
struct BudgetedFault {
  FaultKind kind = FaultKind::pause;
  int most = 1;              // so often in one run
  std::vector<Fault> forms;  // what it may be: target and settings, without a place. The search chooses one
  int line = 0;
  // Of an entry that a search tells apart into parts; files have none:
  std::optional<std::size_t> part_of{};  // the first part: together they strike `most` times
  std::optional<Spot> spot{};            // it strikes there alone …
  std::vector<Spot> elsewhere{};         // … or anywhere but there
  bool operator==(const BudgetedFault&) const = default;
};

/// At which instants a client asks that wants the lock.
enum class Contention : std::uint8_t {
  adversarial,  // at each instant at which that can matter, or not: docs/semantics/asking.md
  anytime,      // at each multiple of the grid: for scaled-down scenarios, to compare with
  as_written,   // as `start`, `retry` and `attempts` say
};

/// In which orders the replies are searched that reach one client at one instant from several servers.
enum class Ties : std::uint8_t {
  all,
  together,  // only in the order of the servers, as if the client had found them together
};

struct Bounds {
  std::optional<int> rounds;           // instead of the workload's
  std::optional<int> attempts;         // in each round; then there is no acquire_timeout
  std::optional<int> failed_attempts;  // the same, of clients that ask freely: attempts that may leave something behind
  std::optional<Duration> start;       // of all clients, instead of their own
  std::optional<Duration> retry;       // between two attempts, instead of the algorithm's own delay
  std::optional<Window> latency;       // instead of the network's
  std::optional<Duration> grid;        // windows are tried at its multiples
  Contention contention = Contention::adversarial;
  Ties ties = Ties::all;
  int max_faults = 1;  // of the budget, in one run, of all kinds together
  std::vector<BudgetedFault> budget;
  /// How often the entry may still strike, where each has struck so often, and `max_faults` is not counted.
  [[nodiscard]] int left_of(std::size_t entry, const std::vector<int>& counts) const {
    const std::size_t first = budget[entry].part_of.value_or(entry);
    int left = budget[entry].most;
    for (std::size_t i = first; i < budget.size() && (i == first || budget[i].part_of == first); ++i) left -= counts[i];
    return left;
  }
  /// Where no fault of the budget may strike, as if there were none: so a search is made and reduced.
  [[nodiscard]] Bounds without_idle_entries() const {
    Bounds bounds = *this;
    if (max_faults == 0) bounds.budget.clear();
    return bounds;
  }
  bool operator==(const Bounds&) const = default;
};

}  // namespace lockproof::harness
