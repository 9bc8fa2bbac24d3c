// SPDX-License-Identifier: Apache-2.0
// The loop around a lock. Pins the sentences of docs/semantics/clients.md.
#include "tests/fixtures.hpp"

namespace lockproof::harness::workload_test {
namespace {

using tests::event;
using tests::ms;
using tests::scenario;
using tests::where;

TEST(Client, TriesAgainAfterTheLocksRetryDelay) {
  const auto h =
      tests::run(scenario("[workload]\nwork = [\"hold 10s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n"));
  const auto attempts = where(h, What::attempt, "client-2");
  ASSERT_GT(attempts.size(), 2u);
  EXPECT_EQ(ms(h.events[attempts[1]]) - ms(h.events[attempts[0]]), 2 + 50);
}

TEST(Client, GivesUpWhenItsAcquireTimeoutIsOver) {
  const auto h = tests::run(scenario("[workload]\nacquire_timeout = \"100ms\"\nwork = [\"hold 10s\"]\n"));
  const auto gave_up = event(h, What::gave_up);
  EXPECT_GE(ms(gave_up), 100);
  EXPECT_LT(ms(gave_up), 160);
}

TEST(Client, GivesUpAfterAnErrorIfItIsToldSo) {
  const std::string lossy = "clients = 1\n[network]\ntimeout = \"1ms\"\non_timeout = \"discard\"\n";
  EXPECT_EQ(where(tests::run(scenario("[workload]\non_error = \"give-up\"\n" + lossy)), What::attempt).size(), 1u);
  EXPECT_GT(where(tests::run(scenario("[workload]\nacquire_timeout = \"1s\"\n" + lossy)), What::attempt).size(), 3u);
}

TEST(Client, DoesItsRoundsWithARestBetween) {
  const auto h =
      tests::run(scenario("[workload]\nclients = 1\nrounds = 3\nthink_time = \"5s\"\nwork = [\"hold 1s\"]\n"));
  ASSERT_EQ(where(h, What::enter).size(), 3u);
  EXPECT_EQ(ms(event(h, What::start, "client-1", 1)) - ms(event(h, What::released)), 5000);
  EXPECT_EQ(where(h, What::finished).size(), 1u);
}

TEST(Client, IsInsideFromTheGrantUntilItsWorkHasLeftBeforeTheRelease) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\nwork = [\"read\", \"hold 3s\", \"write\"]\n"));
  EXPECT_EQ(ms(event(h, What::enter)), 2);
  EXPECT_EQ(ms(event(h, What::exit)), 2 + 2 + 3000 + 2);
  EXPECT_LT(where(h, What::exit).front(), where(h, What::release).front());
}

TEST(Client, ThatObeysTheDeadlineLeavesAtIt) {
  const auto h =
      tests::run(scenario("[workload]\nclients = 1\nlease = \"1s\"\nstop_on = \"deadline\"\nwork = [\"hold 5s\"]\n"));
  EXPECT_EQ(ms(event(h, What::exit)), 1000);  // counted from before the request left
  EXPECT_EQ(event(h, What::exit).word, "deadline");
}

TEST(Client, ThatObeysTheDeadlineDoesNotEnterAfterIt) {
  const auto h = tests::run(
      scenario("[workload]\nclients = 1\nlease = \"1s\"\nstop_on = \"deadline\"\n"
               "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 after SET\"\nfor = \"3s\"\n"));
  EXPECT_TRUE(where(h, What::enter).empty());
  EXPECT_EQ(where(h, What::granted).size(), 1u);
  EXPECT_EQ(where(h, What::released).size(), 1u);
}

TEST(Client, ThatObeysADeadlineOfTheWallClockLeavesAtItToo) {
  const auto h = tests::run(scenario(
      "[workload]\nclients = 1\nlease = \"1s\"\nstop_on = \"deadline\"\nwork = [\"hold 5s\"]\n", "getset-timestamp"));
  EXPECT_EQ(ms(event(h, What::exit)), 1000);
}

TEST(Client, ThatObeysNothingRunsOn) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\nlease = \"1s\"\nwork = [\"hold 5s\"]\n"));
  EXPECT_EQ(ms(event(h, What::exit)), 5002);
}

TEST(Client, AWriteIsBasedOnTheVersionReadLast) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\nwork = [\"read\", \"write\", \"write\"]\n"));
  EXPECT_EQ(tests::sent(h, "client-1", "WRITE", 0).command->args().at(1), Value("0"));
  EXPECT_EQ(tests::sent(h, "client-1", "WRITE", 1).command->args().at(1), Value("1"));
}

TEST(Client, AcquiresAndReleasesOnceMoreWhileItIsInside) {
  const auto h = tests::run(
      scenario("[workload]\nclients = 1\nwork = [\"acquire\", \"hold 1s\", \"release\", \"hold 1s\"]\n", "redisson"));
  EXPECT_EQ(where(h, What::enter).size(), 1u);
  EXPECT_EQ(event(h, What::granted, "", 1).value, 2);
  EXPECT_EQ(event(h, What::released, "", 0).value, 1);
  EXPECT_EQ(event(h, What::released, "", 1).value, std::nullopt);
  EXPECT_EQ(ms(event(h, What::exit)), 2 + 2 + 1000 + 2 + 1000);
  EXPECT_LT(where(h, What::released).front(), where(h, What::exit).front());
}

TEST(Client, GoesOnWorkingAfterItsReleaseWithoutTheLock) {
  const auto h = tests::run(scenario(
      "[workload]\nclients = 1\nrounds = 2\nwork = [\"read\", \"hold 1s\", \"release\", \"hold 2s\", \"write\"]\n"));
  EXPECT_EQ(where(h, What::enter).size(), 2u);
  EXPECT_EQ(where(h, What::released).size(), 2u);  // once a round
  EXPECT_EQ(event(h, What::exit).word, "released");
  EXPECT_EQ(ms(event(h, What::exit)), 2 + 2 + 1000);
  const auto& write = tests::sent(h, "client-1", "WRITE", 0);
  EXPECT_EQ(ms(write), 2 + 2 + 1000 + 2 + 2000);  // two seconds after the release was answered
  EXPECT_EQ(write.command->args().at(1), Value("0"));
  EXPECT_EQ(where(h, What::finished).size(), 1u);
}

TEST(Client, ThatCannotAcquireOnceMoreLeavesAtItsAcquireTimeout) {
  const auto h = tests::run(
      scenario("[workload]\nclients = 1\nacquire_timeout = \"1s\"\nwork = [\"acquire\", \"hold 1s\", \"release\"]\n"));
  EXPECT_EQ(event(h, What::exit).word, "gave-up");
  EXPECT_EQ(where(h, What::released).size(), 1u);  // what it holds, and no more
  EXPECT_EQ(where(h, What::finished).size(), 1u);
}

TEST(Client, ThatLeavesEarlyReleasesAllThatItHolds) {
  const auto h =
      tests::run(scenario("[workload]\nclients = 1\nlease = \"1s\"\nstop_on = \"deadline\"\n"
                          "work = [\"acquire\", \"hold 9s\", \"release\"]\n",
                          "redisson"));
  EXPECT_EQ(event(h, What::exit).word, "deadline");
  EXPECT_EQ(where(h, What::released).size(), 2u);
}

TEST(Client, OneWatchdogServesAllDepths) {
  const auto h =
      tests::run(scenario("watchdog_timeout = \"9s\"\n[workload]\nclients = 1\n"
                          "work = [\"acquire\", \"hold 4s\", \"release\", \"hold 4s\"]\n",
                          "redisson"));
  EXPECT_EQ(where(h, What::renew).size(), 2u);  // after 3 and 6 s
}

const std::string lost_reply =
    "[network]\ntimeout = \"100ms\"\n[[fault]]\nkind = \"half-open\"\n"
    "target = \"client-1\"\nlose = \"reply\"\nwhen = \"client-1 before ";

TEST(Client, ReleasesWhatItMayHoldIfItIsToldSo) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\non_error = \"release\"\n" + lost_reply + "SET\"\n"));
  EXPECT_LT(where(h, What::failed).front(), where(h, What::release).front());
  EXPECT_EQ(event(h, What::released).word, "yes");
  EXPECT_EQ(where(h, What::attempt).size(), 2u);  // then it tries again
  EXPECT_EQ(where(h, What::enter).size(), 1u);
}

TEST(Client, HasNothingToReleaseWhereTheAlgorithmHasCleanedUp) {
  const auto h =
      tests::run(scenario("[workload]\nclients = 1\nacquire_timeout = \"1ms\"\non_error = \"release\"\n"
                          "[network]\nlatency = \"60ms\"\n",
                          "redlock"));
  EXPECT_EQ(where(h, What::failed).size(), 1u);
  EXPECT_TRUE(where(h, What::release).empty());
}

TEST(Client, RepeatsAReleaseThatEndedWithAnError) {
  const auto once = tests::run(scenario("[workload]\nclients = 1\n" + lost_reply + "compare-and-delete\"\n"));
  EXPECT_EQ(where(once, What::release).size(), 1u);
  const auto twice =
      tests::run(scenario("[workload]\nclients = 1\nrelease_tries = 3\n" + lost_reply + "compare-and-delete\"\n"));
  EXPECT_EQ(where(twice, What::release).size(), 2u);  // the second one is answered
  EXPECT_EQ(event(twice, What::released, "", 0).value, 1);
  EXPECT_EQ(event(twice, What::released, "", 1).word, "not-ours");
}

}  // namespace
}  // namespace lockproof::harness::workload_test
