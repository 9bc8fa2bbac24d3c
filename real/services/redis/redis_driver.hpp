// SPDX-License-Identifier: Apache-2.0
// The driver of Redis: redis-server processes, stores over hiredis, MONITOR as the evidence, Sentinels as failover
// monitors.
#pragma once

#include <memory>
#include <string>

#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// `program`: the path of another build of redis-server; empty: the one in PATH.
[[nodiscard]] std::unique_ptr<ServiceDriver> make_redis_driver(const std::string& program);

/// What this build calls itself: "Redis 7.0.15", "Valkey 8.0.1". Throws BadEnvironment if the program is not a
/// redis-server.
[[nodiscard]] std::string redis_version(const std::string& program);

}  // namespace lockproof::real
