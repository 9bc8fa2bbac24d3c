// SPDX-License-Identifier: Apache-2.0
// What a scenario may say of its service, and what not.
#include "harness/input_error.hpp"
#include "harness/scenario/file/write.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::parse_services_test {
namespace {

std::string complaint(const std::string& text, const std::string& lock = "memcached-add") {
  try {
    (void)tests::scenario(text, lock);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

testing::AssertionResult says(const std::string& whole, const std::string& part) {
  if (whole.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in: " << whole;
}

TEST(ParseServices, ALocksServersAreCalledAfterItsService) {
  const Scenario s = tests::scenario("", "memcached-add");
  ASSERT_EQ(s.servers.size(), 1u);
  EXPECT_EQ(s.servers[0].name, "memcached-1");
  EXPECT_EQ(s.service.phase, Duration{});
}

TEST(ParseServices, OtherServersAreRefused) {
  EXPECT_TRUE(says(complaint("[servers]\nredis = 1\n"), "memcached-add"));
  EXPECT_TRUE(says(complaint("[servers]\nmemcached = 1\n", "set-px-token"), "set-px-token"));
}

TEST(ParseServices, KindsThatMemcachedCannotHaveAreRefused) {
  for (const char* const kind : {"failover", "replication-stall", "script-flush", "client-pause"}) {
    const std::string said = complaint(std::string("[[fault]]\nkind = \"") + kind + "\"\ntarget = \"memcached-1\"\n");
    EXPECT_TRUE(says(said, kind));
    EXPECT_TRUE(says(said, "memcached"));
    EXPECT_TRUE(says(said, "evict"));
  }
  EXPECT_TRUE(says(complaint("[[sentinel]]\nmaster = \"memcached-1\"\n"), "memcached"));
  EXPECT_TRUE(says(complaint("[[server]]\nname = \"memcached-1\"\npersistence = \"rdb\"\n"), "memcached"));
}

TEST(ParseServices, ThePhaseIsPartOfASecond) {
  EXPECT_EQ(tests::scenario("[service]\nphase = \"999ms\"\n", "memcached-add").service.phase, milliseconds(999));
  for (const char* const phase : {"1s", "-1ms", "500us"}) {
    EXPECT_TRUE(says(complaint(std::string("[service]\nphase = \"") + phase + "\"\n"), "phase")) << phase;
  }
  EXPECT_TRUE(says(complaint("[service]\nphase = \"1ms\"\n", "set-px-token"), "redis"));
}

TEST(ParseServices, ThePhaseIsWrittenDown) {
  const Scenario s = tests::scenario("[service]\nphase = \"250ms\"\n", "memcached-add");
  const Scenario again = parse_scenario("again.toml", to_toml(s));
  EXPECT_EQ(again.service, s.service);
  [[maybe_unused]] const auto& [phase] = s.service;  // a field that is new does not compile here: let it be written
  EXPECT_EQ(again.servers, s.servers);
}

TEST(SimulatedOnly, IsSaidInOneSentence) {
  const std::string said = complaint("[expect]\nreal = \"no-violation\"\n", "chubby-lock");
  EXPECT_TRUE(says(said, "test.toml:"));
  EXPECT_TRUE(says(said, "there is no server of Chubby"));
  EXPECT_TRUE(says(said, "etcd"));
  const Scenario s = tests::scenario("[expect]\nall = \"no-violation\"\n", "chubby-lock");
  EXPECT_TRUE(s.expect.run && s.expect.explore);
  EXPECT_FALSE(s.expect.real);
}

}  // namespace
}  // namespace lockproof::harness::parse_services_test
