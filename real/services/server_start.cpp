// SPDX-License-Identifier: Apache-2.0
#include "real/services/server_start.hpp"

#include <fmt/format.h>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real {
namespace {

constexpr int starts_most = 5;

}  // namespace

void await_up(const StartingServer& server) {
  const std::int64_t give_up = machine_ns() + start_ns_max;
  for (int starts = 1; !server.is_up(); nap()) {
    if (!server.is_alive()) {
      if (!server.spawn_elsewhere || starts++ == starts_most) {
        throw BadEnvironment(fmt::format("{} does not start; {}", server.name, last_words(server.folder)));
      }
      server.spawn_elsewhere();
    }
    if (machine_ns() > give_up) {
      throw BadEnvironment(fmt::format("{} does not answer; {}", server.name, last_words(server.folder)));
    }
  }
}

}  // namespace lockproof::real
