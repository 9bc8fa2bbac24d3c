// SPDX-License-Identifier: Apache-2.0
// Loss notification rejects a history in which a holder goes on too long without its lock, and accepts one in which it
// does not; and the instant of the loss is the same whatever the bound.
#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::loss_check_test {
namespace {

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table,
                   const std::string& judge, int servers = 1) {
  const harness::Scenario s =
      tests::scenario("[servers]\nredis = " + std::to_string(servers) + "\n[judge]\n" + judge + "\n",
                      servers > 1 ? "redlock" : "set-px-token");
  return checker(tests::parsed(table, servers), s);
}

const std::string notice = "notice = \"5ms\"";
const std::string lost_at_1 = R"(
    0 redis-1 execute A 1 SET acquired
    0 A granted
    0 A enter
    1 redis-1 execute B 1 DEL released)";

TEST(LossNotification, RejectsAHolderThatIsNotTold) {
  EXPECT_EQ(check_with(loss_notification, lost_at_1 + "\n 7 A exit", notice).verdict, Verdict::violated);
  EXPECT_EQ(check_with(loss_notification, lost_at_1 + "\n 3 A lost not-notified\n 7 A exit", notice).verdict,
            Verdict::violated);
}

TEST(LossNotification, AcceptsAHolderThatIsToldInTime) {
  EXPECT_EQ(check_with(loss_notification, lost_at_1 + "\n 6 A lost notified\n 99 A exit", notice).verdict,
            Verdict::not_found);
  EXPECT_EQ(check_with(loss_notification, lost_at_1 + "\n 7 A lost notified\n 99 A exit", notice).verdict,
            Verdict::violated);
}

TEST(LossNotification, AcceptsAHolderThatHasLeft) {
  EXPECT_EQ(check_with(loss_notification, lost_at_1 + "\n 6 A exit\n 99 A released", notice).verdict,
            Verdict::not_found);
}

TEST(LossNotification, AHolderPastItsDeadlineKnows) {
  const auto with_deadline = [](const std::string& left) {
    return check_with(
               loss_notification,
               "0 redis-1 execute A 1 SET acquired renewed:1ms\n 0 A granted " + left + "\n 0 A enter\n 99 A exit",
               notice)
        .verdict;
  };
  EXPECT_EQ(with_deadline("7ms"), Verdict::not_found);  // lost at 2, told at 7
  EXPECT_EQ(with_deadline("8ms"), Verdict::violated);
}

TEST(LossNotification, ALockIsLostWhenNoMajorityIsLeft) {
  const std::string lost_once = R"(
    0 redis-1 execute A 1 SET acquired
    0 redis-2 execute A 1 SET acquired
    0 redis-3 execute A 1 SET acquired
    0 A granted
    0 A enter
    1 redis-1 strike restart)";
  EXPECT_EQ(check_with(loss_notification, lost_once + "\n 99 A exit", notice, 3).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(loss_notification, lost_once + "\n 1 redis-2 strike restart\n 99 A exit", notice, 3).verdict,
            Verdict::violated);
}

TEST(LossNotification, ALossIsDatedOnceWhateverOthersDoToTheKey) {
  const std::string handed_on = lost_at_1 + R"(
    2 redis-1 execute B 2 SET acquired
    4 redis-1 execute B 3 DEL released
    5 redis-1 execute C 1 SET acquired
    7 A exit)";
  const Finding f = check_with(loss_notification, handed_on, notice);
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_NE(f.what.find("lost the lock at 0.001 s"), std::string::npos) << f.what;
  EXPECT_EQ(check_with(loss_notification, handed_on, "notice = \"6ms\"").verdict, Verdict::not_found);
}

TEST(LossNotification, ALeaseThatEndedIsLostThenAndNotWhenACommandLooks) {
  const Finding f = check_with(loss_notification, R"(
    0 redis-1 execute A 1 SET acquired renewed:1ms
    0 A granted
    0 A enter
    5 redis-1 execute B 1 SET expired acquired
    8 A exit)",
                               notice);
  EXPECT_NE(f.what.find("lost the lock at 0.002 s"), std::string::npos) << f.what;
}

TEST(LossNotification, WhoHasItBackLosesItAnew) {
  const std::string back = lost_at_1 + "\n 3 redis-1 execute A 2 SET acquired";
  EXPECT_EQ(check_with(loss_notification, back + "\n 99 A exit", notice).verdict, Verdict::not_found);
  const Finding f = check_with(loss_notification, back + "\n 10 redis-1 execute B 2 DEL released\n 99 A exit", notice);
  EXPECT_NE(f.what.find("lost the lock at 0.010 s"), std::string::npos) << f.what;
}

TEST(LossNotification, WhoHasItBackFromAnotherClientHasNotHeldIt) {
  const std::string taken = lost_at_1 + "\n 2 redis-1 execute B 2 SET acquired\n 3 redis-1 execute B 3 DEL released";
  const std::string back = "\n 4 redis-1 execute A 2 SET acquired\n 4 A exit";
  EXPECT_EQ(check_with(loss_notification, taken + back, notice).kind, "regained");
  EXPECT_EQ(check_with(loss_notification, taken + "\n 3 A lost notified" + back, notice).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(loss_notification, lost_at_1 + back, notice).verdict, Verdict::not_found) << "nobody had it";
  EXPECT_EQ(check_with(loss_notification, taken + "\n 4 A exit", notice).verdict, Verdict::not_found);
}

TEST(LossNotification, ARenewalThatMakesALostKeyAnewTellsALie) {
  const std::string over = R"(
    0 redis-1 execute A 1 SET acquired renewed:1ms
    0 A granted 1ms
    0 A enter
    5 redis-1 execute B 1 SET expired acquired
    6 redis-1 execute B 2 DEL released
    7 A renew
    7 redis-1 execute A 2 SET acquired)";
  EXPECT_EQ(check_with(loss_notification, over + "\n 8 A renewed 10ms\n 9 A exit", notice).kind, "regained");
  EXPECT_EQ(check_with(loss_notification, over + "\n 9 A exit", notice).verdict, Verdict::not_found);
}

/// Of redis-2, which copies redis-1 while A has the lock, and is promoted then; the copy comes when B has it there.
TEST(LossNotification, ACopyHasTheOwnerThatItsMasterHadWhenItWasMade) {
  const std::string copied = R"(
    0 redis-1 execute A 1 SET acquired
    0 A granted
    0 A enter
    1 redis-1 copy redis-2
    2 redis-1 execute B 1 DEL released
    2 redis-1 execute B 2 SET acquired
    3 redis-2 replicate redis-1 FULLRESYNC
    4 redis-1 strike failover redis-2
    20 A exit)";
  harness::History h = tests::parsed(copied, 2);
  for (harness::Event& e : h.events) {
    if (e.what == harness::What::replicate) e.command = Command({"FULLRESYNC"});
  }
  const harness::Scenario s = tests::scenario(
      "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n[judge]\n" + notice + "\n");
  EXPECT_EQ(loss_notification(h, s).kind, "regained") << "it was lost for two milliseconds, to another client";
}

Finding judged_with(harness::Scenario scenario, Duration bound) {
  scenario.notice = bound;
  return tests::judged(tests::run(scenario), scenario, "loss-notification");
}

/// The lock is evicted 5 s after client-1 entered at 2 ms, and nobody tells it.
TEST(LossNotification, OfALossThatNobodyReportsIsViolatedByEachBoundBelowTheRealDelay) {
  const harness::Scenario once =
      harness::load_scenario(LOCKPROOF_SOURCE "/scenarios/documented/notifications/loss-not-reported.toml");
  harness::Scenario handed_on = once;  // from client-2 to client-2, every second or two
  handed_on.horizon = seconds(70);
  handed_on.clients[0].plan.acquire_timeout = handed_on.clients[1].plan.acquire_timeout = harness::for_ever;
  handed_on.clients[0].plan.work = {{harness::Work::Kind::hold, seconds(60)}};
  handed_on.clients[1].plan.work = {{harness::Work::Kind::hold, seconds(1)}};
  handed_on.clients[1].plan.rounds = 30;
  handed_on.clients[1].plan.think_time = milliseconds(500);
  const std::pair<harness::Scenario, Duration> cases[] = {{once, seconds(15)}, {handed_on, seconds(55)}};
  for (const auto& [scenario, delay] : cases) {
    for (const Duration bound : {Duration(seconds(3)), Duration(seconds(5)), delay - Duration(milliseconds(1))}) {
      const Finding f = judged_with(scenario, bound);
      EXPECT_EQ(f.verdict, Verdict::violated) << bound.count();
      EXPECT_NE(f.what.find("client-1 lost the lock at 5.002 s"), std::string::npos) << f.what;
    }
    EXPECT_EQ(judged_with(scenario, delay).verdict, Verdict::not_found);
  }
}

}  // namespace
}  // namespace lockproof::check::loss_check_test
