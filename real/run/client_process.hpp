// SPDX-License-Identifier: Apache-2.0
// The body of a client process: forked from the supervisor without exec, it runs one client of the scenario on real
// connections and reports all events to the supervisor. It stops or kills itself exactly where a fault is placed.
#pragma once

#include "real/client/client_setup.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// Returns the exit status.
[[nodiscard]] int run_client(const ClientSetup& setup, const ServiceDriver& service);

}  // namespace lockproof::real
