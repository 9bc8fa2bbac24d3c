// SPDX-License-Identifier: Apache-2.0
// A round that nobody gets the lock in is told from one that is lost to another client, or with a client that crashed.
#include "harness/check/lost_rounds.hpp"
#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::rounds_check_test {
namespace {

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table) {
  return checker(tests::parsed(table), tests::scenario(""));
}

const std::string first_rounds = R"(
    0 A start round1
    0 A attempt
    0 B start round1
    0 B attempt
    0 A granted
    0 A enter
    1 A exit
    1 A release
    1 A released yes
    2 B granted
    2 B enter
    3 B exit
    3 B release
    3 B released yes
    9 A start round2
    9 A attempt
    9 A failed
    9 A gave-up)";

TEST(Exercised, RejectsARoundThatNobodyGetsThoughNobodyHasTheLock) {
  const std::string both = first_rounds + "\n 9 B start round2\n 9 B attempt\n 9 B failed\n 9 B gave-up";
  const Finding found = check_with(exercised, both);
  EXPECT_EQ(found.kind, "shut-out");
  EXPECT_NE(found.what.find("round 2"), std::string::npos) << found.what;
}

TEST(Exercised, ARoundThatOneClientGetsIsNotShutOut) {
  const std::string one = first_rounds + "\n 9 B start round2\n 9 B attempt\n 9 B granted\n 9 B enter";
  const Finding found = check_with(exercised, one);
  EXPECT_EQ(found.verdict, Verdict::not_found);
  EXPECT_EQ(found.what, "these rounds never got the lock: client-1 round 2");
}

TEST(Exercised, ARoundThatIsLostWhileAnotherClientHasTheLockIsNotShutOut) {
  std::string held = first_rounds;
  held.erase(held.find("    3 B release"), held.find("    9 A start") - held.find("    3 B release"));
  EXPECT_EQ(check_with(exercised, held).verdict, Verdict::not_found);
}

TEST(Exercised, ACrashExplainsARoundThatIsLost) {
  EXPECT_EQ(check_with(exercised, "0 C strike crash\n" + first_rounds).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(exercised, "0 C strike pause\n" + first_rounds).kind, "shut-out");
}

}  // namespace
}  // namespace lockproof::check::rounds_check_test
