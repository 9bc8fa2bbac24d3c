// SPDX-License-Identifier: Apache-2.0
// A request that a simulated service does not have is named, with those that it has. What each service answers to
// those is asked by answers.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/scenario/file/parse.hpp"
#include "sim/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::services_test {
namespace {

/// Of a client that runs these lines to take the lock; empty: nothing is wrong with them.
std::string complaint(const char* service, const std::string& lines) {
  const std::string lua = fmt::format(R"(lock = {{ service = "{}" }}
function acquire(name, lease)
{}
  return {{ token = "mine" }}
end
function release(grant) return skipped() end
)",
                                      service, lines);
  try {
    const harness::Scenario scenario =
        harness::parse_scenario("lock.toml", "[algorithm]\nname = \"set-px-token\"\n[workload]\nclients = 1\n",
                                lua::load_algorithm("mine.lua", lua));
    return sim::run(scenario, 1).events.empty() ? "nothing happened" : "";
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

TEST(LuaServices, ARequestThatAModelLacksIsNamed) {
  const auto sends = [](const char* service, const char* request) {
    return complaint(service, fmt::format("  call({})", request));
  };
  EXPECT_EQ(sends("etcd", "\"PUT\", name, 1"),
            "mine.lua: sends PUT, which the simulated etcd does not know; it knows LEASE-GRANT, LEASE-KEEPALIVE, "
            "LEASE-REVOKE, GET, DELETE, DELETE-IF, LAST-BEFORE, WATCH, PUT-IF-ABSENT");
  EXPECT_EQ(sends("zookeeper", "\"CREATE\", 1, name"),
            "mine.lua: sends CREATE with 3 words to ZooKeeper, where it has 4, its own among them");
  EXPECT_EQ(sends("zookeeper", "\"EXISTS\", 1"),
            "mine.lua: sends EXISTS with 2 words to ZooKeeper, where it has 3 or 4, its own among them");
  EXPECT_NE(sends("memcached", "\"append\", name, \"x\"").find("sends append, which the simulated memcached does not"),
            std::string::npos);
  EXPECT_NE(sends("chubby", "\"ACQUIRE\", 1, name").find("it knows CREATESESSION, KEEPALIVE, TRYACQUIRE"),
            std::string::npos);
  EXPECT_NE(
      sends("postgres", "script(\"mine\", \"select 1\"), 0").find("sends the statement 'mine', which the simulated"),
      std::string::npos);
  EXPECT_NE(
      sends("postgres", "script(\"begin\", \"begin\\n\"), 1, name").find("begin with 1 parameters, where it has 0"),
      std::string::npos);
}

}  // namespace
}  // namespace lockproof::services_test
