// SPDX-License-Identifier: Apache-2.0
// Worlds that several tests trace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tracer/traced_run.hpp"

namespace lockproof::tracer {

/// A client alone.
inline WorldSpec world_of(std::vector<std::string> command) {
  WorldSpec spec;
  spec.hosts.push_back({.name = "client", .command = std::move(command)});
  return spec;
}

inline WorldSpec world_of_python(const std::string& code) { return world_of({"python3", "-c", code}); }

/// redis-server, host 0, and clients, who start a second later, 50 ms apart.
inline WorldSpec world_with_redis(std::vector<std::vector<std::string>> clients) {
  WorldSpec spec;
  spec.hosts.push_back(
      {.name = "redis", .command = {"redis-server", "--save", "", "--appendonly", "no"}, .server = true});
  for (std::vector<std::string>& command : clients) {
    const auto number = static_cast<Nanos>(spec.hosts.size());
    spec.hosts.push_back({.name = "client-" + std::to_string(number),
                          .command = std::move(command),
                          .start = second + (number - 1) * 50 * millisecond});
  }
  return spec;
}

inline std::vector<std::string> lease_client(std::string token, int holds, std::string end) {
  return {LOCKPROOF_LEASE_CLIENT, std::move(token), std::to_string(holds), std::move(end)};
}

}  // namespace lockproof::tracer
