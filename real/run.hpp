// SPDX-License-Identifier: Apache-2.0
// The real world: runs a scenario on redis-server processes that it starts itself, each client in a process of its own,
// and writes the same history as the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::real {

/// This world cannot make something that the scenario asks for; the verdict is then `unknown`, with this reason.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine lacks something (redis-server, a free port, …); says what to do about it.
class BadEnvironment : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ForeignServers;

struct Options {
  std::uint64_t seed = 1;     // of tokens and jitter; the machine's scheduling is not under it
  bool record_inputs = true;  // write what crosses the ports as well (read, draw, call, answer, step)
  std::shared_ptr<const ForeignServers> foreign{};  // to use these and start none; null: start all that is needed
};

/// Returns when all clients are done or at the scenario's horizon. Nothing that it started is left, however it ends; on
/// foreign servers, no key either.
[[nodiscard]] harness::History run(const harness::Scenario& scenario, const Options& options);

}  // namespace lockproof::real
