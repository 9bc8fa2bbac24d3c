// SPDX-License-Identifier: Apache-2.0
// The scenarios that a review searches: one lock in the reviewer's world, with what may go wrong there as a budget.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "execution/review/review.hpp"

namespace lockproof::execution {

/// A change that may make a lock safe; each is a key of a scenario.
enum class Remedy : std::uint8_t {
  persists,       // the servers write each command to disk before they answer
  refuses_alone,  // a master without its replica refuses writes
  late_failover,  // the Sentinel waits longer than a lease
  keeps_lock,     // the lock is not released, and goes with its lease
  marker,         // the resource gives each period to one client
};

/// What one search is of.
struct Setting {
  harness::AlgorithmRef lock;
  milliseconds lease{};
  Duration work{};
  int clients = 2;
  std::string budget{};  // [[explore.fault]] entries
  int most = 1;          // of which so many may strike in one run
  /// With the reviewer's period: how much later than client-1 the others begin.
  std::vector<Duration> later{};
  int periods = 1;       // so many are done
  std::string faults{};  // [[fault]] entries, which strike in any case
  std::vector<Remedy> remedies{};
  [[nodiscard]] bool has(Remedy remedy) const;
};

/// Why this lock cannot be used in the reviewer's world; empty: it can.
[[nodiscard]] std::string misfit(const Review& review, const Algorithm& lock);
/// Whether the length of its lease can be chosen.
[[nodiscard]] bool takes_lease(const Algorithm& lock);

/// A part of what may go wrong, small enough to be searched by itself.
struct Trouble {
  std::string label;   // "pause of clients", "power-cut 4ms"
  std::string budget;  // as TOML
  int most = 1;        // faults of it in one run
};
/// What may go wrong for this lock in the reviewer's world: what is searched soon first.
[[nodiscard]] std::vector<Trouble> troubles(const Review& review, const Setting& setting);
/// Two faults that are asked about together.
[[nodiscard]] std::vector<Trouble> pairs_of_troubles(const Review& review, const Setting& setting);
/// What makes a client's work take longer: its pauses, and messages that are lost.
[[nodiscard]] std::string delays_of_work(const Review& review, const Setting& setting);

/// The scenario, with an [explore] that has the budget. `folder`: where it will be; empty: here.
[[nodiscard]] std::string scenario_of(const Review& review, const Setting& setting, const std::string& folder = "");
/// The outages that are tried, on both sides of a Sentinel's down_after.
[[nodiscard]] std::vector<Duration> outages(const Review& review);

/// What a remedy is, as an order: "let the servers write each command to disk (persistence = \"aof-always\")".
[[nodiscard]] std::string in_words(Remedy remedy);
/// Those which change something in the reviewer's world.
[[nodiscard]] std::vector<Remedy> remedies_for(const Review& review, harness::Concern concern);

}  // namespace lockproof::execution
