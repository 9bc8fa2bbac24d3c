// SPDX-License-Identifier: Apache-2.0
// The services that real runs support, one line each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/port/service.hpp"
#include "real/options.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

struct ServiceRow {
  Service service;
  std::string_view program;  // of a server, looked for in PATH unless another build of it is given
  std::unique_ptr<ServiceDriver> (*driver)(const std::string& program);  // `program`: its path; empty: from PATH
  std::string (*version)(const std::string& program);  // "Redis 7.0.15". Throws BadEnvironment if it is another program
  bool replays_traces;                                 // see the function of that name
};

[[nodiscard]] std::span<const ServiceRow> services();

/// The service that the scenario's lock runs on. Throws UnsupportedFeature if it is simulated only.
[[nodiscard]] const ServiceRow& service_of(const harness::Scenario& scenario);

/// Whether real/trace_replay can drive this scenario's servers step by step.
[[nodiscard]] bool replays_traces(const harness::Scenario& scenario);

/// The driver of a run of this scenario.
[[nodiscard]] std::unique_ptr<ServiceDriver> make_driver(const harness::Scenario& scenario, const Programs& programs);

/// The program that was given for a service; empty: the one in PATH.
[[nodiscard]] std::string program_of(Service service, const Programs& programs);

}  // namespace lockproof::real
