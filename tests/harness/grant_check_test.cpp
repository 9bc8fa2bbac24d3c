// SPDX-License-Identifier: Apache-2.0
// What grants are judged by: whether they are good when they are given, whether their fencing tokens grow, and how
// often they are renewed. Each property rejects a history that breaks it, and accepts those that come near.
#include <fmt/format.h>

#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::grant_check_test {
namespace {

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table,
                   const std::string& more = "", int servers = 1) {
  const harness::Scenario s = tests::scenario("[servers]\nredis = " + std::to_string(servers) + "\n" + more,
                                              servers > 1 ? "redlock" : "set-px-token");
  return checker(tests::parsed(table, servers), s);
}

// ---- grant-is-valid

TEST(GrantIsValid, AGrantThatIsOverWhenItIsGivenHasExpired) {
  EXPECT_EQ(check_with(grant_is_valid, "0 A attempt\n 1 A granted -1ms\n 1 A release").kind, "expired");
  EXPECT_EQ(check_with(grant_is_valid, "0 A attempt\n 1 A granted 0ms\n 1 A enter").kind, "expired");
  EXPECT_EQ(check_with(grant_is_valid, "0 A attempt\n 1 A granted 1us\n 9 A enter").verdict, Verdict::not_found);
  EXPECT_EQ(check_with(grant_is_valid, "0 A attempt\n 1 A granted").verdict, Verdict::not_found) << "no deadline";
}

// ---- fencing-order

TEST(FencingOrder, ALaterGrantHasAGreaterToken) {
  const std::string first = "0 A attempt\n 1 A granted fence5\n 2 A released yes\n 3 B attempt\n 4 B granted fence";
  EXPECT_EQ(check_with(fencing_order, first + "6").verdict, Verdict::not_found);
  EXPECT_EQ(check_with(fencing_order, first + "5").verdict, Verdict::violated);
  const std::string again = "0 A attempt\n 1 A granted fence5\n 2 A released\n 3 A attempt\n 4 A granted fence";
  EXPECT_EQ(check_with(fencing_order, again + "5").verdict, Verdict::not_found) << "it has found its own grant again";
  EXPECT_EQ(check_with(fencing_order, again + "4").verdict, Verdict::violated);
  const Finding lower = check_with(fencing_order, first + "4");
  EXPECT_EQ(lower.verdict, Verdict::violated);
  EXPECT_EQ(lower.events, (std::vector<std::size_t>{1, 4}));
}

TEST(FencingOrder, OfGrantsThatWereAskedForTogetherEitherMayBeReceivedFirst) {
  EXPECT_EQ(check_with(fencing_order, "0 A attempt\n 0 B attempt\n 1 A granted fence5\n 2 B granted fence4").verdict,
            Verdict::not_found);
  EXPECT_EQ(check_with(fencing_order,
                       "0 A attempt\n 0 B attempt\n 1 A granted fence5\n 1 B busy\n 2 B attempt\n 2 B granted fence4")
                .verdict,
            Verdict::violated);
}

TEST(FencingOrder, FurtherAcquisitionsOfOneHolderAreNotCompared) {
  EXPECT_EQ(
      check_with(fencing_order, "0 A attempt\n 1 A granted fence5\n 2 A attempt\n 3 A granted fence5 depth2").verdict,
      Verdict::not_found);
}

TEST(FencingOrder, IsNotJudgedWithoutTokens) {
  const Finding none = check_with(fencing_order, "0 A attempt\n 1 A granted");
  EXPECT_FALSE(none.judged);
  EXPECT_EQ(none.what, no_token);
}

/// A takes the key and draws its token after it has lost it to B.
const std::string drawn_late = R"(
    0 A attempt
    0 redis-1 execute A 1 SET acquired renewed:9ms
    1 B attempt
    20 redis-1 execute B 1 SET expired acquired renewed:9ms
    21 B granted fence1)";

TEST(FencingOrder, WhoTookTheKeyFirstHasTheSmallerTokenWhereTheResourceLooks) {
  const std::string fencing = "[resource]\nfencing = \"all\"\n";
  EXPECT_EQ(check_with(fencing_order, drawn_late + "\n 22 A granted fence2", fencing).verdict, Verdict::violated);
  EXPECT_EQ(check_with(fencing_order, drawn_late + "\n 22 A granted fence0", fencing).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(fencing_order, drawn_late + "\n 22 A granted fence2").verdict, Verdict::not_found);
}

TEST(FencingOrder, WhoTakesTheKeyAnewIsTheLaterOne) {
  const std::string anew = R"(
    29 redis-1 execute B 2 DEL released
    30 redis-1 execute A 2 SET acquired
    31 A granted fence)";
  const std::string fencing = "[resource]\nfencing = \"all\"\n";
  EXPECT_EQ(check_with(fencing_order, drawn_late + anew + "2", fencing).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(fencing_order, drawn_late + anew + "0", fencing).verdict, Verdict::violated);
}

TEST(FencingOrder, AnAttemptThatEndedInNothingSetsNoBounds) {
  const std::string fencing = "[resource]\nfencing = \"all\"\n";
  EXPECT_EQ(
      check_with(fencing_order, drawn_late + "\n 22 A failed\n 23 A attempt\n 24 A granted fence2", fencing).verdict,
      Verdict::not_found);
}

// ---- renewal-rate

std::string renewals(int count, const std::string& apart) {
  std::string table = "0 A attempt\n 0 redis-1 execute A 1 SET acquired renewed:100ms\n 0 A granted\n 0 A enter\n";
  for (int i = 0; i < count; ++i) {
    const int at = 1 + i * std::stoi(apart);
    table += fmt::format(" {} redis-1 execute A {} PEXPIRE renewed:100ms\n", at, i + 2);
  }
  return table;
}

TEST(RenewalRate, RejectsAStorm) {
  const Finding storm = check_with(renewal_rate, renewals(51, "2"));
  EXPECT_EQ(storm.verdict, Verdict::violated);
  EXPECT_NE(storm.what.find("more than 50 times within one lease of 0.100 s"), std::string::npos) << storm.what;
}

TEST(RenewalRate, AcceptsAsManyRenewalsAsAreAllowedAndAnyNumberOverTime) {
  EXPECT_EQ(check_with(renewal_rate, renewals(50, "2")).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(renewal_rate, renewals(400, "3")).verdict, Verdict::not_found);
}

TEST(RenewalRate, AFreshGrantBeginsTheCountAnew) {
  const std::string again = " 60 A granted\n";
  std::string table = renewals(30, "2") + again;
  for (int i = 0; i < 30; ++i) table += fmt::format(" {} redis-1 execute A {} PEXPIRE renewed:100ms\n", 61 + i, 40 + i);
  EXPECT_EQ(check_with(renewal_rate, table).verdict, Verdict::not_found);
}

}  // namespace
}  // namespace lockproof::check::grant_check_test
