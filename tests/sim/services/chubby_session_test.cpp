// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/chubby.md, "The client", in a run with a fault.
#include <string>

#include "tests/fixtures.hpp"

namespace lockproof::sim::chubby_session_test {
namespace {

using harness::What;

/// client-1 holds the lock for 100 s; the lease is 12 s, the grace 45 s.
harness::History run(const std::string& fault, const std::string& workload = "") {
  return tests::run(
      tests::scenario("[workload]\nclients = 1\nlease = \"12s\"\nacquire_timeout = \"20s\"\nwork = [\"hold 100s\"]\n" +
                          workload + "[run]\nhorizon = \"200s\"\n" + fault,
                      "chubby-lock"));
}

std::string master_gone(const char* lasts) {
  return std::string("[[fault]]\nkind = \"restart\"\ntarget = \"chubby-1\"\nat = \"2s\"\nfor = \"") + lasts + "\"\n";
}
const std::string cut =
    "[[fault]]\nkind = \"partition\"\ntarget = \"client-1\"\npeer = \"chubby-1\"\nat = \"2s\"\nfor = \"150s\"\n";

TEST(ChubbySession, ItsLeaseIsNeverLongerThanTheMasters) {
  const harness::History h = run("[network]\nlatency = [\"1ms\", \"400ms\"]\n");
  Duration masters{};
  int promises = 0;
  for (const harness::Event& e : h.events) {
    const bool extends =
        e.what == What::execute && (e.command->verb() == "CREATESESSION" || e.command->verb() == "KEEPALIVE");
    if (extends) masters = e.at + seconds(12);
    if (e.what != What::granted && e.what != What::renewed) continue;
    ++promises;
    ASSERT_TRUE(e.left);
    EXPECT_LE(e.at + e.left->time, masters);
    EXPECT_GT(e.at + e.left->time, masters - seconds(2)) << "and little shorter";
  }
  EXPECT_GE(promises, 10);
}

TEST(ChubbySession, InJeopardyItPromisesNothing) {
  const harness::Event left = tests::event(run(cut, "stop_on = \"deadline\"\n"), What::exit, "client-1");
  EXPECT_EQ(left.word, "deadline");
  EXPECT_GE(left.at, seconds(12));
  EXPECT_LT(left.at, seconds(13));
}

TEST(ChubbySession, AnAnswerWithinTheGraceMakesItSafe) {
  const harness::History h = run(master_gone("40s"));
  EXPECT_TRUE(tests::where(h, What::lost).empty());
  const harness::Event safe = tests::event(h, What::renewed, "client-1");
  EXPECT_GE(safe.at, seconds(42));
  EXPECT_LT(safe.at, seconds(44));
  EXPECT_EQ(tests::event(h, What::exit, "client-1").word, "finished");
}

TEST(ChubbySession, WithoutAnAnswerItEndsAfterTheGrace) {
  const std::string faults[] = {master_gone("70s"), cut};
  for (const std::string& fault : faults) {
    const harness::Event lost = tests::event(run(fault), What::lost, "client-1");
    EXPECT_GE(lost.at, seconds(57)) << fault;
    EXPECT_LT(lost.at, seconds(62)) << fault;
  }
}

TEST(ChubbySession, ARefusalEndsItAtOnce) {
  const harness::Event lost = tests::event(
      run("[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nfor = \"20s\"\n"),
      What::lost, "client-1");
  EXPECT_GE(lost.at, seconds(20));
  EXPECT_LT(lost.at, milliseconds(20'100));
}

}  // namespace
}  // namespace lockproof::sim::chubby_session_test
