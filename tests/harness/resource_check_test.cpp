// SPDX-License-Identifier: Apache-2.0
// Resource safety rejects a history in which the resource took what it must not, and accepts one in which it did not.
#include "tests/harness/history_table.hpp"

namespace lockproof::check::resource_check_test {
namespace {

using tests::parsed;

const harness::Scenario quiet = tests::scenario("");

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table) {
  return checker(parsed(table), quiet);
}

TEST(ResourceSafety, AcceptsWritesBasedOnTheCurrentVersion) {
  EXPECT_EQ(check_with(resource_safety, R"(
    0 A granted
    0 A send resource 1 READ
    1 resource execute A 1 READ =0
    2 A send resource 2 WRITE 0
    3 resource execute A 2 WRITE 0 =1
    4 B granted
    4 B send resource 1 READ
    5 resource execute B 1 READ =1
    6 B send resource 2 WRITE 1
    7 resource execute B 2 WRITE 1 =2)")
                .verdict,
            Verdict::not_found);
}

TEST(ResourceSafety, RejectsALostUpdate) {
  const Finding f = check_with(resource_safety, R"(
    0 A granted
    1 A send resource 1 WRITE 0
    1 B granted
    2 B send resource 1 WRITE 0
    3 resource execute A 1 WRITE 0 =1
    4 resource execute B 1 WRITE 0 =2)");
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_EQ(f.events, (std::vector<std::size_t>{4, 5}));
}

TEST(ResourceSafety, RejectsAnAccessUnderAnOlderGrantThanOneAlreadyAccepted) {
  EXPECT_EQ(check_with(resource_safety, R"(
    0 A granted
    1 A send resource 1 READ
    2 A strike crash
    3 B granted
    4 B send resource 1 READ
    5 resource execute B 1 READ =0
    6 resource execute A 1 READ =0)")
                .verdict,
            Verdict::violated);
}

const std::string asked_together = R"(
    0 A attempt
    0 B attempt
    1 B granted fence2
    2 A granted fence1
    3 A send resource 1 READ
    3 B send resource 1 READ)";
const std::string given_before = R"(
    0 A attempt
    1 A granted fence5
    2 B attempt
    3 B granted fence1
    4 A send resource 1 READ
    4 B send resource 1 READ)";

TEST(ResourceSafety, OfTwoGrantsThatWereAskedForTogetherTheFenceTellsWhichIsOlder) {
  const std::string a = "\n 5 resource execute A 1 READ =0", b = "\n 5 resource execute B 1 READ =0";
  EXPECT_EQ(check_with(resource_safety, asked_together + a + b).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(resource_safety, asked_together + b + a).verdict, Verdict::violated);
}

/// Its counter was lost with the lock.
TEST(ResourceSafety, AGrantThatWasGivenBeforeTheOtherWasAskedForIsOlderWhateverItsFence) {
  const std::string a = "\n 5 resource execute A 1 READ =0", b = "\n 5 resource execute B 1 READ =0";
  EXPECT_EQ(check_with(resource_safety, given_before + a + b).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(resource_safety, given_before + b + a).verdict, Verdict::violated);
}

/// client-1 is given the first fence and hears of it second; both read and write, and the resource keeps the order.
TEST(ResourceSafety, ALateReplyDoesNotMakeAnOlderGrantTheNewerOne) {
  for (const char* fault : {"kind = \"evict\"\nwhen = \"redis-1 after fenced-acquire of client-1\"\n",
                            "kind = \"clock-jump\"\nwhen = \"redis-1 before fenced-acquire of client-2\"\n"
                            "by = \"+10001ms\"\n"}) {
    const harness::Scenario s = tests::scenario(
        "[workload]\nlease = \"10s\"\nattempts = 6\nretry = \"2500ms\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n"
        "[resource]\nfencing = \"all\"\n[[step]]\nevent = \"client-1 -> redis-1 fenced-acquire\"\n"
        "[[step]]\nevent = \"redis-1 -> client-2 fenced-acquire\"\n[[step]]\nevent = \"client-1 -> resource READ\"\n"
        "[[fault]]\ntarget = \"redis-1\"\n" +
            std::string(fault),
        "fenced-token");
    const harness::History h = tests::run(s);
    EXPECT_EQ(tests::event(h, harness::What::granted, "client-1").fence, 1);
    EXPECT_LT(tests::where(h, harness::What::granted, "client-2"), tests::where(h, harness::What::granted, "client-1"));
    EXPECT_EQ(tests::judged(h, s, "mutual-exclusion").kind, "double-grant");
    EXPECT_EQ(tests::judged(h, s, "resource-safety").verdict, Verdict::not_found);
    EXPECT_EQ(tests::judged(h, s, "exercised").verdict, Verdict::not_found);
  }
}

/// Messages have numbers of their own on the way to each server.
TEST(ResourceSafety, IsNotMisledByALostRequestToAnotherServerWithTheSameNumber) {
  EXPECT_EQ(check_with(resource_safety, R"(
    0 A granted
    1 A send resource 1 READ
    1 A send redis-1 1 DEL
    2 A drop redis-1 1 request
    3 resource execute A 1 READ =0)")
                .verdict,
            Verdict::not_found);
}

TEST(ResourceSafety, AWriteThatTheResourceRefusedDoesNoHarm) {
  auto h = parsed("0 A granted\n1 A send resource 1 WRITE 5\n2 resource execute A 1 WRITE 5 =0\n");
  h.events.back().reply = Reply::error("FENCED");
  EXPECT_EQ(resource_safety(h, quiet).verdict, Verdict::not_found);
}

}  // namespace
}  // namespace lockproof::check::resource_check_test
