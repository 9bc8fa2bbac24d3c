// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/clients.md on attempts that their caller ends.
#include "harness/input_error.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::attempt_timeout_test {
namespace {

using harness::What;
using tests::event;
using tests::ms;
using tests::where;

const std::string asks = "[workload]\nclients = 1\nattempts = 1\nattempt_timeout = ";
const std::string late = "[[fault]]\nkind = \"delay\"\ntarget = \"client-1\"\nlate = \"reply\"\n";

harness::History with(const std::string& text, const std::string& lock = "set-px-token") {
  return tests::run(tests::scenario(text, lock));
}

TEST(AttemptTimeout, ACommandUnderWayEndsWithoutItsAnswer) {
  const auto h = with(asks + "\"500ms\"\n" + late + "when = \"client-1 before SET\"\nby = \"1s\"\n");
  EXPECT_EQ(ms(event(h, What::time_out)), 500);
  EXPECT_EQ(event(h, What::failed).error, Error::no_reply);
  EXPECT_EQ(tests::executed(h, "redis-1", "SET").reply, Reply::status("OK"));  // the lock is taken all the same
  EXPECT_TRUE(where(h, What::enter).empty());
}

TEST(AttemptTimeout, NothingMoreIsSentOfAnAttemptThatIsOver) {  // Redlock would ask its servers to unlock
  const auto h = with(asks +
                          "\"20ms\"\n[servers]\nredis = 3\n[[fault]]\nkind = \"partition\"\ntarget = \"client-1\"\nat "
                          "= \"0s\"\nfor = \"1s\"\n",
                      "redlock");
  EXPECT_EQ(event(h, What::failed).error, Error::no_reply);
  EXPECT_EQ(where(h, What::send).size(), 3u);
}

TEST(AttemptTimeout, AnAttemptThatEndsInTimeIsAsEver) {
  const auto h = with(asks + "\"3ms\"\n");
  EXPECT_EQ(ms(event(h, What::enter)), 2);
  EXPECT_EQ(event(h, What::released).word, "yes");  // although three milliseconds are long past
}

TEST(AttemptTimeout, AReleaseHasItsOwnTime) {
  const auto h = with(asks + "\"500ms\"\non_error = \"release\"\n[network]\non_timeout = \"discard\"\n" + late +
                      "when = \"client-1 before SET\"\nby = \"1s\"\n");
  EXPECT_EQ(event(h, What::released).word, "yes");
  EXPECT_EQ(ms(event(h, What::released)), 1002);  // behind the answer that is late
}

TEST(AttemptTimeout, EachAttemptHasItsOwn) {
  const auto h = with("[workload]\nclients = 1\nattempts = 3\nattempt_timeout = \"500ms\"\n" + late +
                      "when = \"client-1 before SET\"\nby = \"1s\"\n");
  EXPECT_EQ(where(h, What::attempt).size(), 3u);
  EXPECT_EQ(where(h, What::busy).size(), 2u);  // these two were answered: it finds its own key
}

TEST(AttemptTimeout, IsRefusedWhereWorkAcquiresMore) {
  const std::string text = asks + "\"1s\"\nwork = [\"acquire\", \"release\"]\n";
  EXPECT_THROW(static_cast<void>(tests::scenario(text, "redisson")), harness::InputError);
  EXPECT_THROW(static_cast<void>(tests::scenario(asks + "\"0s\"\n")), harness::InputError);
}

}  // namespace
}  // namespace lockproof::sim::attempt_timeout_test
