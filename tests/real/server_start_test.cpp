// SPDX-License-Identifier: Apache-2.0
// How a server that starts is awaited, without a server.
#include "real/services/server_start.hpp"

#include <gtest/gtest.h>

#include "real/errors.hpp"

namespace lockproof::real::server_start_test {
namespace {

/// A server that dies at once on its first `taken` ports.
struct Ports {
  int taken;
  int spawned = 1;

  [[nodiscard]] bool lives() const { return spawned > taken; }
  [[nodiscard]] StartingServer server() {
    return {.name = "redis-1",
            .folder = "/nowhere",
            .is_up = [this] { return lives(); },
            .is_alive = [this] { return lives(); },
            .spawn_elsewhere = [this] { ++spawned; }};
  }
};

std::string complaint_about(const StartingServer& server) {
  try {
    await_up(server);
  } catch (const BadEnvironment& e) {
    return e.what();
  }
  return "";
}

TEST(ServerStart, TriesOtherPortsWhereTheFirstAreTaken) {
  Ports ports{.taken = 4};
  EXPECT_EQ(complaint_about(ports.server()), "");
  EXPECT_EQ(ports.spawned, 5);
}

TEST(ServerStart, GivesUpOnAServerThatDiesOnEveryPort) {
  Ports ports{.taken = 100};
  EXPECT_EQ(complaint_about(ports.server()), "redis-1 does not start; its log is empty");
  EXPECT_EQ(ports.spawned, 5);
}

TEST(ServerStart, TriesNoOtherPortWhereItMayNot) {
  Ports ports{.taken = 1};
  StartingServer server = ports.server();
  server.spawn_elsewhere = nullptr;
  EXPECT_EQ(complaint_about(server), "redis-1 does not start; its log is empty");
}

}  // namespace
}  // namespace lockproof::real::server_start_test
