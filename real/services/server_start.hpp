// SPDX-License-Identifier: Apache-2.0
// The start of a server: how long anybody waits for it, and what is said of one that does not come up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lockproof::real {

/// A server that has been spawned.
struct StartingServer {
  std::string name;    // in messages
  std::string folder;  // that its log is in
  std::function<bool()> is_up, is_alive;
  /// Spawns it again on another port, since another program may have taken its own first. Empty: it is not tried.
  std::function<void()> spawn_elsewhere{};
};

/// How long a server may take until it is up, for the first time or again.
inline constexpr std::int64_t start_ns_max = 60'000'000'000;

/// Returns when it is up. Throws BadEnvironment with the end of its log if it does not come up.
void await_up(const StartingServer& server);

}  // namespace lockproof::real
