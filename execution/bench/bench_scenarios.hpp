// SPDX-License-Identifier: Apache-2.0
// The scenarios behind the bench table: plain scenario files, so that each cell can be run again by itself.
#pragma once

#include <string>
#include <string_view>

#include "execution/execution.hpp"
#include "harness/report/bench.hpp"

namespace lockproof::execution {

/// What `bench` runs with unless told otherwise.
[[nodiscard]] harness::BenchSetup bench_setup();

/// A lock, in one world, with so many clients.
struct BenchSubject {
  const Algorithm& algorithm;
  execution::WorldKind world;
  int clients;
  std::string folder;  // where the scenario will be; empty: nowhere
};

/// Clients that take the lock again and again, until the run ends.
[[nodiscard]] std::string load_scenario_text(const harness::BenchSetup& setup, const BenchSubject& subject);
/// The first one crashes just after it entered, and the others want the lock.
[[nodiscard]] std::string crash_scenario_text(const harness::BenchSetup& setup, const BenchSubject& subject);

}  // namespace lockproof::execution
