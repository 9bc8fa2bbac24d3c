// SPDX-License-Identifier: Apache-2.0
// Locks that are programs of their own, on real servers: the line protocol, what strikes them from outside, and
// programs that do what they should not. The programs are a few lines of Python's standard library each.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <string>

#include "harness/check/properties.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "tests/real/programs.hpp"

namespace lockproof::tests::program_test {
namespace {

using check::Verdict;
using harness::What;
using programs::count;
using programs::first_send_state;
using programs::head;
using programs::kind_of;
using programs::lock;
using programs::of;
using programs::run;
using programs::RunOutcome;
using programs::scenario;

TEST(Program, AGoodLockIsFoundGood) {
  const RunOutcome ran = run(lock());
  for (const check::Finding& finding : ran.findings) {
    EXPECT_NE(finding.verdict, Verdict::violated) << finding.property << ": " << finding.what;
  }
  EXPECT_EQ(count(ran, What::enter), 2);
  EXPECT_EQ(count(ran, What::finished), 2);
  EXPECT_EQ(first_send_state(ran, "SET"), "free");
  EXPECT_EQ(ran.history.events.back().word, "finished");
}

const char* const pause_before_del = R"(
[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 before DEL own"
for = "1200ms"
until = "client-2 enters"
longer = "60ms"
)";
const char* const get_then_del = R"PY(
    if do == "release":
        if ask("GET", "lock") == me.encode(): ask("DEL", "lock")
        say("released"); continue
)PY";

TEST(Program, GetThenDelTakesTheLockOfTheOther) {
  const RunOutcome ran = run(lock(get_then_del), pause_before_del);
  EXPECT_EQ(kind_of(ran, "owner-release"), "violated") << of(ran, "owner-release").what;
  EXPECT_EQ(kind_of(ran, "exercised"), "");
  EXPECT_EQ(kind_of(run(lock(get_then_del)), "owner-release"), "");  // not without the pause
}

TEST(Program, AHolderThatIsPausedOutlivesItsLease) {
  const char* const pause = R"(
[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 enters"
for = "1200ms"
until = "client-2 enters"
longer = "60ms"
)";
  const RunOutcome ran = run(lock(), pause);
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "outlived");
  EXPECT_EQ(kind_of(ran, "resource-safety"), "violated");
  EXPECT_EQ(kind_of(ran, "owner-release"), "");
}

TEST(Program, AReplyWaitsForTheEndOfAPauseThatStruckAfterItsCommand) {
  const RunOutcome ran = run(lock(),
                             "[[fault]]\nkind = \"pause\"\ntarget = \"redis-1\"\nfor = \"600ms\"\n"
                             "when = \"redis-1 after SET of client-1\"\n");
  EXPECT_EQ(kind_of(ran, "grant-is-valid"), "not-held") << of(ran, "grant-is-valid").what;
}

TEST(Program, AReplyThatIsLostIsWaitedForInVain) {
  const RunOutcome ran =
      run(lock(),
          "[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nwhen = \"client-1 before SET free\"\n"
          "lose = \"reply\"\n");
  EXPECT_EQ(kind_of(ran, "answers"), "acquire") << of(ran, "answers").what;
  EXPECT_EQ(kind_of(ran, "survives"), "");
}

TEST(Program, AKilledHolderWithoutALeaseLeavesTheLock) {
  const char* const without_lease = R"PY(
    if do == "acquire":
        while ask("SET", "lock", me, "NX") != b"+OK": time.sleep(lease / 6000)
        say("acquired"); continue
)PY";
  const char* const crash = "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n";
  EXPECT_EQ(kind_of(run(lock(without_lease), crash), "deadlock-freedom"), "orphaned");
  EXPECT_EQ(kind_of(run(lock(), crash), "deadlock-freedom"), "");
}

TEST(Program, AGrantThatIsNoneIsFound) {
  const char* const liar = "\n    if do == \"acquire\": say(\"acquired\"); continue\n";
  EXPECT_EQ(kind_of(run(lock(liar)), "grant-is-valid"), "not-held");
  const char* const late =
      "\n    if do == \"acquire\": ask(\"SET\", \"lock\", me, \"NX\", \"PX\", lease); "
      "say(\"acquired\", valid_ms=-5); continue\n";
  EXPECT_EQ(kind_of(run(lock(late)), "grant-is-valid"), "expired");
}

TEST(Program, AFalseAlarmIsFound) {
  const char* const nervous = "\n    if do == \"touch\": say(\"lost\"); continue\n";
  const char* const claims = "claims = [\"loss-notification\"]\n";
  harness::Scenario with = scenario(lock(nervous));
  with.program->claims.emplace_back("loss-notification");
  with.notice = milliseconds(400);
  const RunOutcome ran{with, real::run(with, {}), {}};
  EXPECT_EQ(check::loss_notification(ran.history, with).kind, "false-alarm") << claims;
  harness::Scenario calm = scenario(lock());
  calm.notice = milliseconds(400);
  EXPECT_NE(check::loss_notification(real::run(calm, {}), calm).verdict, Verdict::violated);
}

TEST(Program, ServersThatLoseKeysBreakAnyLock) {
  const RunOutcome ran = run(lock(), "[[fault]]\nkind = \"flush\"\ntarget = \"redis-1\"\nwhen = \"client-1 enters\"\n");
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "double-grant") << of(ran, "mutual-exclusion").what;
  EXPECT_EQ(kind_of(ran, "owner-release"), "");
}

// Programs that do what they should not: one clear sentence each, and nothing is left of them.

class OfStrangers : public testing::Test {
 protected:
  OfStrangers() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }  // orphans become children of this process
  ~OfStrangers() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

  [[nodiscard]] static bool all_ended() {
    const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
    while (real::machine_ns() < give_up) {
      const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
      if (ended < 0) return true;
      const timespec nap{0, 1'000'000};
      if (ended == 0) ::nanosleep(&nap, nullptr);
    }
    return false;
  }

  static void expect(const std::string& program, const std::string& kind, const std::string& sentence) {
    const RunOutcome ran = run(program);
    EXPECT_EQ(kind_of(ran, "survives"), kind);
    EXPECT_NE(of(ran, "survives").what.find(sentence), std::string::npos) << of(ran, "survives").what;
    EXPECT_TRUE(all_ended());
  }
  static void expect_never_ready(const std::string& program, const std::string& sentence) {
    try {
      static_cast<void>(real::run(scenario(program), {}));
      ADD_FAILURE() << "it ran";
    } catch (const real::BadEnvironment& e) {
      EXPECT_NE(std::string(e.what()).find(sentence), std::string::npos) << e.what();
    }
    EXPECT_TRUE(all_ended());
  }
};

TEST_F(OfStrangers, SayGarbage) {
  expect(lock("\n    sys.stdout.buffer.write(b'\\x1b[2J\\x00\\xff\\n'); sys.stdout.flush(); continue\n"), "protocol",
         R"(says what is no JSON object: \x1b[2J\x00\xff)");
}

TEST_F(OfStrangers, SayAGigabyte) {
  expect(lock("\n    for i in range(1024): sys.stdout.write('a' * (1 << 20))\n"), "protocol",
         "says a line of more than 4096 bytes: aaaa");
}

TEST_F(OfStrangers, SayTooManyLines) {
  expect(lock("\n    for i in range(20000): say('lost')\n"), "protocol", "says more than 10000 lines");
}

TEST_F(OfStrangers, SayWhatTheyWereNotAsked) {
  expect(lock("\n    if do == 'acquire': say('released'); continue\n"), "protocol",
         "says 'released' when it was told to acquire");
  expect(lock("\n    if do == 'acquire': say('hello'); continue\n"), "protocol",
         "says 'hello', which is no word of the line protocol");
}

TEST_F(OfStrangers, SayNothing) {
  expect_never_ready("import time; time.sleep(1); raise SystemExit", "ended by itself, with status 0");
}

TEST_F(OfStrangers, FailAtOnce) { expect_never_ready("raise ValueError('no such thing')", "no such thing"); }

TEST_F(OfStrangers, ExitInTheMiddle) {
  expect(lock("\n    if do == 'touch': sys.exit(0)\n"), "died", "ended by itself, with status 0");
  expect(lock("\n    if do == 'touch': raise KeyError('key')\n"), "died", "its last words: KeyError: 'key'");
}

TEST_F(OfStrangers, DieOfWhatTheyBeganInTheirLastRound) {
  expect(lock("\n    if do == 'release' and me == 'client-2':\n        import threading\n"
              "        threading.Timer(lease / 4000, lambda: os._exit(3)).start()\n"),
         "died", "ended by itself, with status 3");
}

/// A thread of the client keeps renewing after the release, and ends the program when it sees that the key is gone.
const char* const renews_for_leases = R"PY(
    if do == "release" and me == "client-2":
        import threading
        def renew():
            for _ in range(6):
                time.sleep(lease / 2000)
                last = ask("PEXPIRE", "lock", lease)
            if last == b":0": os._exit(3)
        threading.Thread(target=renew, daemon=True).start()
)PY";

TEST_F(OfStrangers, AreFollowedForLeasesAfterTheirLastRound) {
  expect(lock(renews_for_leases), "died", "ended by itself, with status 3");
  const harness::Scenario same = scenario(lock(renews_for_leases));
  const RunOutcome briefly{same, real::run(same, {.follows_briefly = true}), {}};
  EXPECT_EQ(count(briefly, What::died), 0);
  harness::Scenario impatient = same;
  impatient.answers = milliseconds(500);
  EXPECT_EQ(count({impatient, real::run(impatient, {}), {}}, What::died), 0);
}

TEST_F(OfStrangers, AreFollowedNoLongerThanAnythingCanComeOfThem) {
  const auto followed = [](const RunOutcome& ran) {
    const auto& events = ran.history.events;
    const auto last = std::ranges::find(events.rbegin(), events.rend(), What::finished, &harness::Event::what);
    return events.back().at - last->at;
  };
  EXPECT_LT(followed(run(lock())), milliseconds(1000));
  const char* const sleeps =
      "\nimport threading\nthreading.Thread(target=time.sleep, args=[60], daemon=True).start()\n";
  EXPECT_GE(followed(run(lock("", sleeps))), milliseconds(3200));
  const char* const alarm = "\nimport signal\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(3)); signal.alarm(3)\n";
  EXPECT_EQ(kind_of(run(lock("", alarm)), "survives"), "died");
}

TEST_F(OfStrangers, ExitAsTheyAreAskedAgain) {
  const char* const leaves =
      "\n    if do == \"acquire\": ask(\"SET\", \"lock\", me, \"NX\", \"PX\", lease); "
      "say(\"acquired\"); os._exit(3)\n";
  for (int i = 0; i < 5; ++i) {
    const RunOutcome ran = run(lock(leaves), "work = [\"touch\", \"touch\", \"touch\"]\n");
    EXPECT_EQ(kind_of(ran, "survives"), "died") << of(ran, "survives").what;
  }
  EXPECT_TRUE(all_ended());
}

TEST_F(OfStrangers, ForkADaemon) {
  const char* const daemon = R"PY(
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        time.sleep(600)
    os._exit(0)
)PY";
  const RunOutcome ran = run(lock("", daemon));
  EXPECT_EQ(kind_of(ran, "survives"), "");
  EXPECT_TRUE(all_ended());
}

TEST_F(OfStrangers, ForkWithoutEnd) {
  expect(lock("\n    if do == 'touch':\n        for i in range(100):\n            if os.fork() == 0: time.sleep(600)\n "
              "       time.sleep(600)\n"),
         "died", "started more than 64 processes");
}

TEST_F(OfStrangers, AreDeafToSignals) {
  const char* const deaf =
      "\nimport signal\nfor s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\n";
  const RunOutcome ran = run(lock("\n    if do == 'quit': time.sleep(600)\n", deaf));
  EXPECT_EQ(kind_of(ran, "survives"), "");
  EXPECT_TRUE(all_ended());
}

TEST_F(OfStrangers, CloseTheirInput) {
  expect(std::string(head) + "say('ready')\nos.close(0)\ntime.sleep(600)\n", "protocol",
         "closed its standard input, so it cannot be told anything");
}

TEST_F(OfStrangers, AreLeftWhenLockproofIsKilled) {
  const pid_t lockproof = ::fork();
  if (lockproof == 0) {
    static_cast<void>(real::run(scenario(lock("\n    if do == 'touch': time.sleep(600)\n")), {}));
    ::_exit(0);
  }
  const timespec a_second{1, 0};
  ::nanosleep(&a_second, nullptr);
  ::kill(lockproof, SIGKILL);
  EXPECT_TRUE(all_ended());
}

TEST_F(OfStrangers, CannotBeFound) {
  harness::Scenario nowhere = scenario("pass");
  nowhere.program->command = {"no-such-program"};
  EXPECT_THROW(static_cast<void>(real::run(nowhere, {})), real::BadEnvironment);
}

}  // namespace
}  // namespace lockproof::tests::program_test
