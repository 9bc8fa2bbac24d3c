// SPDX-License-Identifier: Apache-2.0
// The options of a real run besides its scenario.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "algorithms/port/service.hpp"

namespace lockproof::real {

struct ExternalServers;

/// Other builds of servers' programs: paths. Services without an entry use the program in PATH.
using Programs = std::map<Service, std::string>;

struct Options {
  std::uint64_t seed = 1;     // determines tokens and jitter, but not the machine's scheduling
  bool record_inputs = true;  // write what crosses the ports as well (read, draw, call, answer, step)
  std::shared_ptr<const ExternalServers> external{};  // servers to use; null: start all that are needed
  Programs programs{};
  /// Programs are followed for one lease after their last round, and not for [judge] answers. One is enough to learn
  /// from a run, and all that a sweep has time for.
  bool follows_briefly = false;
  /// Between two looks at what says nothing of itself, as that a process has ended.
  std::int64_t look_ns = 1'000'000;
  std::stop_token stop{};  // ends the run at once: it throws harness::Stopped
};

}  // namespace lockproof::real
