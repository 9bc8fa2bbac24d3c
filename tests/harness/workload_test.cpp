// SPDX-License-Identifier: Apache-2.0
// The loop around a lock. Pins the sentences of docs/semantics.md, "A client's life".
#include "tests/fixtures.hpp"

namespace lockproof::harness {
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

TEST(Client, GivesUpWhenItsPatienceIsOver) {
  const auto h = tests::run(scenario("[workload]\npatience = \"100ms\"\nwork = [\"hold 10s\"]\n"));
  const auto gave_up = event(h, What::gave_up);
  EXPECT_GE(ms(gave_up), 100);
  EXPECT_LT(ms(gave_up), 160);
}

TEST(Client, GivesUpAfterAnErrorIfItIsToldSo) {
  const std::string lossy = "clients = 1\n[network]\ntimeout = \"1ms\"\non_timeout = \"discard\"\n";
  EXPECT_EQ(where(tests::run(scenario("[workload]\non_error = \"give-up\"\n" + lossy)), What::attempt).size(), 1u);
  EXPECT_GT(where(tests::run(scenario("[workload]\npatience = \"1s\"\n" + lossy)), What::attempt).size(), 3u);
}

TEST(Client, DoesItsRoundsWithARestBetween) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\nrounds = 3\nrest = \"5s\"\nwork = [\"hold 1s\"]\n"));
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
      tests::run(scenario("[workload]\nclients = 1\nlease = \"1s\"\nobeys = \"deadline\"\nwork = [\"hold 5s\"]\n"));
  EXPECT_EQ(ms(event(h, What::exit)), 1000);  // counted from before the request left
  EXPECT_EQ(event(h, What::exit).word, "deadline");
}

TEST(Client, ThatObeysTheDeadlineDoesNotEnterAfterIt) {
  const auto h = tests::run(
      scenario("[workload]\nclients = 1\nlease = \"1s\"\nobeys = \"deadline\"\n"
               "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 after SET\"\nfor = \"3s\"\n"));
  EXPECT_TRUE(where(h, What::enter).empty());
  EXPECT_EQ(where(h, What::granted).size(), 1u);
  EXPECT_EQ(where(h, What::released).size(), 1u);
}

TEST(Client, ThatObeysADeadlineOfTheWallClockLeavesAtItToo) {
  const auto h = tests::run(scenario(
      "[workload]\nclients = 1\nlease = \"1s\"\nobeys = \"deadline\"\nwork = [\"hold 5s\"]\n", "getset-timestamp"));
  EXPECT_EQ(ms(event(h, What::exit)), 1000);
}

TEST(Client, ThatObeysNothingRunsOn) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\nlease = \"1s\"\nwork = [\"hold 5s\"]\n"));
  EXPECT_EQ(ms(event(h, What::exit)), 5002);
}

TEST(Client, AWriteIsBasedOnTheVersionReadLast) {
  const auto h = tests::run(scenario("[workload]\nclients = 1\nwork = [\"read\", \"write\", \"write\"]\n"));
  EXPECT_EQ(tests::sent(h, "client-1", "WRITE", 0).command->words().at(1), Value("0"));
  EXPECT_EQ(tests::sent(h, "client-1", "WRITE", 1).command->words().at(1), Value("1"));
}

}  // namespace
}  // namespace lockproof::harness
