// SPDX-License-Identifier: Apache-2.0
// Fuzz: many runs of one scenario, for a space that is too large to search. A strategy says how the runs are drawn. It
// finds violations; finding none only bounds how often they occur under its sampler.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/check/properties.hpp"
#include "harness/scenario/scenario.hpp"
#include "search/core/exploration.hpp"
#include "search/fuzz/guided.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {

enum class Strategy : std::uint8_t {
  random,  // evenly
  pct,     // by priorities that change a few times
  swarm,   // each run with some of the kinds of faults, and its own habits
  guided,  // changes runs that met something new
};
[[nodiscard]] std::string_view name(Strategy strategy);
[[nodiscard]] std::span<const Strategy> strategies();

/// One of `of` parts of a fuzzing run, from 1. Run number i (from 0) belongs to part i % of + 1.
struct Shard {
  std::uint64_t part = 1, of = 1;
  bool operator==(const Shard&) const = default;
};
[[nodiscard]] std::uint64_t runs_of(const Shard& shard, std::uint64_t runs);

struct Tally {
  std::uint64_t runs = 0;                 // that violated the property in this kind
  std::uint64_t first = 0;                // the least number of these
  check::Finding finding;                 // of that run
  std::shared_ptr<const Trail> parent{};  // guided: the trail that it continued
};

/// The reasons for which PCT's bound does not hold for the runs; each bit is one broken premise.
namespace pct {
inline constexpr unsigned faults = 1;  // there is a budget, or the scenario has faults
inline constexpr unsigned timed = 2;   // time passed between two events
inline constexpr unsigned drew = 4;    // a duration, or the order of two events of one thread, was drawn
inline constexpr unsigned longer = 8;  // a run had more events than was estimated
}  // namespace pct

struct FuzzResult {
  std::uint64_t runs = 0;   // made
  std::uint64_t fresh = 0;  // how many of these did not continue an earlier one
  std::uint64_t events = 0;
  std::map<ViolationKind, Tally> violated;
  std::map<std::string, Tally, std::less<>> unknown;
  std::set<std::string> met;         // guided, or on request: combinations
  std::set<std::string> struck;      // kinds of the budget's faults that have struck
  unsigned broken_premises = 0;      // pct
  std::uint64_t threads = 0, k = 0;  // pct: n and k of its bound
};

struct FuzzOrder {
  Strategy strategy = Strategy::random;
  std::uint64_t seed = 1;  // run number i has the seed `seed` + i
  std::uint64_t runs = 1;  // of all shards together
  Shard shard{};           // a guided search draws from the shard's own seed
  int depth = 3;           // pct
  const harness::Bounds* budget = nullptr;
  unsigned workers = 1;
  bool cover = false;                               // record which combinations were met, with any strategy
  std::function<bool(std::uint64_t done)> go_on{};  // called from time to time, from one thread
  std::stop_token stop{};                           // checked all the time: runs under way do not count
  std::function<bool(const FuzzResult&)> enough{};  // called after each run, in their order
};

/// The same order gives the same result with any number of workers, if `go_on` does not end it.
[[nodiscard]] FuzzResult fuzz(const harness::Scenario& scenario, const FuzzOrder& order);

/// The run of a tally, recorded as faults and steps.
[[nodiscard]] RunRecord write_down(const harness::Scenario& scenario, const FuzzOrder& order, const Tally& tally);

/// The run as a scenario that states its violation. Throws std::logic_error if the scenario does not show it.
[[nodiscard]] harness::Scenario as_scenario(const harness::Scenario& scenario, const FuzzOrder& order,
                                            const ViolationKind& way, const Tally& tally);

}  // namespace lockproof::sim
