// SPDX-License-Identifier: Apache-2.0
// The body of a client process: forked from the supervisor without exec, it runs one client of the scenario, or several
// that are its tasks, on real connections, and reports all events to the supervisor. It stops or kills itself exactly
// where a fault is placed.
#pragma once

#include <vector>

#include "real/client/client_setup.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// Returns the exit status. Several clients have one lock object.
[[nodiscard]] int run_clients(const std::vector<ClientSetup>& setups, const ServiceDriver& service);

}  // namespace lockproof::real
