// SPDX-License-Identifier: Apache-2.0
// Bench: how fast a lock is with so many clients, and how long it takes to free itself, in one world.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "execution/execution.hpp"
#include "harness/report/bench.hpp"

namespace lockproof::execution {

struct BenchOrder {
  harness::BenchSetup setup;
  std::string folder;                                                           // for scenarios; empty: none is wanted
  std::function<void(const std::string& file, const std::string& text)> write;  // … into it
  std::function<void(const std::string& cell)> begin;                           // called before a cell is measured
  std::stop_token stop;
};

/// A cell for each number of clients. Throws harness::Stopped.
[[nodiscard]] std::vector<harness::BenchCell> bench_row(const BenchOrder& order, const Algorithm& lock,
                                                        WorldKind world);

}  // namespace lockproof::execution
