// SPDX-License-Identifier: Apache-2.0
// Where each lock breaks, as paper says (design §6): each formula with its premises, and a search of all schedules on
// both sides of it. The rival makes one attempt; where its instant matters, a few around the critical one are tried.
#include <fmt/format.h>

#include "tests/search/boundaries.hpp"

namespace lockproof::tests::boundaries_test {
namespace {

// GETSET, clocks that differ ---------------------------------------------------------------------------------------
// Premises: the rival's clock is s ahead, nobody is paused, the first lock is taken by SETNX, every message takes w.
// The holder's stamp is read at 0, so it ends at T; the rival reads its clock at r, finds the stamp past if
// r + s > T, and enters after SETNX, GET and GETSET (note 000 reads before the SETNX) or after GETSET only (note 004).
// Both are inside iff the holder leaves at r + 6w, r + 2w or later; at that very instant if the rival is first.

struct Getset {
  const char* algorithm;
  int skew, way;
  [[nodiscard]] int reads_until_enters() const { return (string(algorithm) == "getset-timestamp" ? 6 : 2) * way; }
};
constexpr int whole = 100;  // the lease, in ms

string getset(const Getset& c, int leaves, int start) {
  return "[workload]\nattempts = 1\nlease = " + ms(whole) + "\nwork = [\"hold " + std::to_string(leaves - 2 * c.way) +
         "ms\"]\n[network]\nlatency = " + ms(c.way) +
         "\n[[client]]\nname = \"client-2\"\nwork = [\"hold 200ms\"]\nclock = \"+" + std::to_string(c.skew) +
         "ms\"\nstart = " + ms(start) + "\n";
}

class GetsetBoundary : public testing::TestWithParam<Getset> {
 protected:
  /// For a rival that starts around the first instant at which the stamp is past.
  static bool broken(int leaves, const string& property = "mutual-exclusion") {
    const Getset& c = GetParam();
    const int first = whole - c.skew + 1 - 4 * c.way;  // note 004 reads after SETNX and GET
    for (int start = first - 2; start <= first + 4 * c.way + 2; ++start) {
      if (fewest(getset(c, leaves, start), c.algorithm, "", property) != never) return true;
    }
    return false;
  }
};

TEST_P(GetsetBoundary, BothAreInsideIffTheHoldIsLongerThanTheLeaseLessTheSkewAndTheRivalsWay) {
  const int flips = whole - GetParam().skew + 1 + GetParam().reads_until_enters();
  EXPECT_FALSE(broken(flips - 1));  // equal stamps are safe: the comparison is strict
  EXPECT_TRUE(broken(flips));
  EXPECT_TRUE(broken(flips + 1));
}

TEST_P(GetsetBoundary, TheBlindDelHasABoundaryOfItsOwn) {
  // DEL runs one way after the holder leaves, GETSET 5w (note 004: w) after the rival's reading. Note 000 releases
  // nothing once its own stamp is past; note 004 does not look.
  const bool looks = string(GetParam().algorithm) == "getset-timestamp";
  const int flips = whole - GetParam().skew + 1 + GetParam().reads_until_enters() - 2 * GetParam().way;
  EXPECT_FALSE(broken(flips - 1, "owner-release"));
  EXPECT_TRUE(broken(flips, "owner-release"));
  EXPECT_TRUE(broken(whole - 1, "owner-release"));
  EXPECT_EQ(broken(whole, "owner-release"), !looks);
}

INSTANTIATE_TEST_SUITE_P(Of, GetsetBoundary,
                         testing::Values(Getset{"getset-timestamp", 30, 1}, Getset{"getset-timestamp-004", 30, 1},
                                         Getset{"getset-timestamp", 50, 3}, Getset{"getset-timestamp-004", 50, 3}),
                         [](const auto& one) { return "No" + std::to_string(one.index + 1); });

TEST(GetsetBoundary, AtTheBoundaryItIsTheOrderOfATie) {
  for (const auto& [c, leaves, start] : {std::tuple{Getset{"getset-timestamp", 30, 1}, 77, 71},
                                         std::tuple{Getset{"getset-timestamp-004", 30, 1}, 73, 67}}) {
    for (const bool holder_first : {true, false}) {
      const string rival = "[[step]]\nevent = \"redis-1 -> client-2 GETSET\"\n";
      const string holder = "[[step]]\nevent = \"client-1 worker #3\"\n";
      const harness::Scenario s =
          scenario(getset(c, leaves, start) + (holder_first ? holder + rival : rival + holder), c.algorithm);
      const check::Finding found = judged(run(s), s, "mutual-exclusion");
      EXPECT_EQ(found.verdict == check::Verdict::violated, !holder_first) << c.algorithm;
      EXPECT_EQ(judged(run(s), s, "exercised").verdict, check::Verdict::not_found) << c.algorithm;
    }
  }
}

TEST(GetsetBoundary, ClocksThatAgreeKeepTheLockUntilItsEnd) {
  const Getset c{"getset-timestamp", 0, 1};
  for (const int start : {98, 99, 100, 101}) {
    EXPECT_EQ(fewest(getset(c, 100, start), c.algorithm, "double-grant"), never) << start;
  }
}

// A token lock whose client stops at its own deadline --------------------------------------------------------------
// Premises: the deadline is (clock read before the SET leaves) + T, timers are exact, rates equal, tokens fresh, check
// and entry one step. The SET runs at its arrival a; the key is gone a millisecond after a + T, for the server's clock
// ticks in milliseconds and a key lives through the one of its stamp; the rival is inside one way later.

string token(const string& latency, int rival, const string& more = "") {
  return "[workload]\nattempts = 1\nlease = \"10ms\"\nstop_on = \"deadline\"\nwork = [\"hold 30ms\"]\n[network]\n"
         "latency = " +
         latency + "\n[[client]]\nname = \"client-2\"\nstart = " + ms(rival) + "\n" + more;
}

TEST(TokenLock, ThatStopsAtItsDeadlineNeverBreaks) {
  for (const char* latency : {"\"1ms\"", "[\"1ms\", \"2ms\"]", "[\"1ms\", \"5ms\"]"}) {
    const auto at = [&](int start) { return fewest(token(latency, start), "set-px-token"); };
    EXPECT_EQ(at_some_time(at, 4, 16), never) << latency;
  }
}

/// The same lock, its deadline counted from the reply.
class FromTheReply final : public Lock {
 public:
  FromTheReply(std::unique_ptr<Lock> lock, Clock& clock) : lock_(std::move(lock)), clock_(clock) {}
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    Attempt attempt = co_await lock_->try_acquire(name, lease);
    if (Grant* grant = std::get_if<Grant>(&attempt)) grant->deadline = clock_.mono() + *lease;
    co_return attempt;
  }
  Task<Result<ReleaseResult>> release(Grant grant) override { return lock_->release(std::move(grant)); }
  [[nodiscard]] Retry retry() const override { return lock_->retry(); }

 private:
  std::unique_ptr<Lock> lock_;
  Clock& clock_;
};

int from_the_reply(int slowest, const string& kind) {
  Algorithm counted = *find_algorithm("set-px-token");
  counted.make = [](Ports ports, const Parameters& parameters) -> std::unique_ptr<Lock> {
    return std::make_unique<FromTheReply>(make_set_px_token(ports, parameters), ports.clock);
  };
  return at_some_time(
      [&](int start) {
        harness::Scenario s = scenario(token("[\"1ms\", " + ms(slowest) + "]", start));
        s.algorithm = &counted;
        return fewest(search(s), kind);
      },
      8, 18);
}

/// Not without a premise of its own: the holder's reply must be slower than the rest of the server's millisecond and
/// the rival's reply together, which are 2 ms here. At 2 ms it leaves at its deadline as the rival enters; beyond that
/// both believe in it.
TEST(TokenLock, CountedFromTheReplyBreaksOnceAReplyIsSlowEnough) {
  EXPECT_EQ(from_the_reply(1, ""), never);
  EXPECT_EQ(from_the_reply(2, "outlived"), 0);
  EXPECT_EQ(from_the_reply(2, "double-grant"), never);
  EXPECT_EQ(from_the_reply(3, "double-grant"), 0);
}

/// A pause inside, at the entry: of the lease T - w is left by the server's stamp, its millisecond and the rival's
/// reply, w, come on top: it takes T + 1 ms, whatever w is. But one that begins when the hold is cut short at the
/// deadline, and before the holder leaves, finds only w more by the server's stamp, and the same on top: it takes 2w +
/// 2 ms.
TEST(TokenLock, APauseBreaksItIffItOutlastsWhatIsLeftOfTheLease) {
  for (const int way : {1, 3}) {
    for (const int pause : {2, 3, 5, 6, 7, 10, 11, 20}) {
      const string more = "[explore]\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nfor = " + ms(pause);
      const auto at = [&](int start) { return fewest(token(ms(way), start, more), "set-px-token"); };
      EXPECT_EQ(at_some_time(at, 9, 13), pause > 2 * way ? 1 : never) << pause << " ms, way " << way;
    }
  }
}

// Watchdogs ----------------------------------------------------------------------------------------------------------
// Premises: T = 30 s, every message takes 1 ms, a lost one costs the call's time-out, which is shorter than a period.
// The lock is set at 1 ms and granted at 2 ms; renewal k leaves at 2 ms + k periods and arrives 1 ms later. The rival's
// one attempt arrives the millisecond after the lease has ended, which is the first at which it can succeed.

struct Guarded {
  int rival;  // when it comes, in ms
  string faults{}, parameters{}, latency = ms(1), timeout = ms(2000);
};
/// The fewest faults, as `fewest`.
int needs(const Guarded& g, const string& algorithm) {
  return fewest(g.parameters + "[workload]\nattempts = 1\nwork = [\"hold 200s\"]\n[network]\ntimeout = " + g.timeout +
                    "\nlatency = " + g.latency +
                    "\n[[client]]\nname = \"client-2\"\nwork = [\"hold 1s\"]\nstart = " + ms(g.rival) + "\n" + g.faults,
                algorithm);
}
string lost(const string& command, const std::vector<int>& which) {
  string text;
  for (const int n : which) {
    text += fmt::format("[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nwhen = \"client-1 before {} #{}\"\n",
                        command, n);
  }
  return text;
}
string late(const string& command, int n, int by_us) {
  if (by_us == 0) return "";
  return fmt::format("[[fault]]\nkind = \"delay\"\ntarget = \"client-1\"\nwhen = \"client-1 before {} #{}\"\nby = {}\n",
                     command, n, us(by_us));
}
string may_lose(int most, const string& what) {
  return fmt::format(
      "[explore]\nmax_faults = {0}\n[[explore.fault]]\nkind = \"half-open\"\nmost = {0}\n"
      "target = \"client-1\"\nlose = \"{1}\"\n",
      most, what);
}
const string renewal = "redisson-renew";

constexpr int after_grant = 30'001, after_first = 40'003;  // when the rival comes, in ms

TEST(Watchdog, OneLostRequestOrReplyNeverMatters) {
  for (const int rival : {after_grant, after_first, after_first + 10'000}) {
    for (const char* what : {"request", "reply"}) {
      EXPECT_EQ(needs(Guarded{rival, may_lose(1, what)}, "redisson"), never) << rival << " " << what;
    }
  }
}

/// d(k), the delay of renewal k. After a renewal k two lost ones are survived iff d(k+3) <= d(k), in milliseconds of
/// the server.
TEST(Watchdog, TwoLostAfterARenewalMatterIffTheNextIsLaterThanItWas) {
  const auto broken = [](int first_late, int fourth_late) {
    const int rival = after_first + first_late / 1000;
    return needs(Guarded{rival, lost(renewal, {2, 3}) + late(renewal, 1, first_late) + late(renewal, 4, fourth_late)},
                 "redisson") != never;
  };
  EXPECT_FALSE(broken(0, 0));
  EXPECT_FALSE(broken(0, 999));
  EXPECT_TRUE(broken(0, 1000));
  EXPECT_FALSE(broken(5000, 5000));
  EXPECT_TRUE(broken(5000, 6000));
}

/// After the grant it is another matter, which design §6 does not tell apart: the watchdog counts from the reply, r
/// after the SET has run. The third renewal then comes r + d(3) after the lease has ended, and two lost ones are
/// survived only if that is nothing to the server's clock.
TEST(Watchdog, TwoLostAfterTheGrantMatterUnlessMessagesTakeNoTime) {
  EXPECT_EQ(needs(Guarded{after_grant, may_lose(2, "request")}, "redisson"), 2);
  const auto broken = [](int way) {  // microseconds; all three ways within the millisecond in which the SET ran
    const string text = "[workload]\nattempts = 1\nwork = [\"hold 200s\"]\n[network]\nlatency = " + us(way) +
                        "\n[[client]]\nname = \"client-2\"\nstart = " + us(30'001'000 - way) + "\n" +
                        lost(renewal, {1, 2});
    return fewest(text, "redisson") != never;
  };
  EXPECT_FALSE(broken(333));
  EXPECT_TRUE(broken(334));
}

/// The period is T / 3 in whole milliseconds: what is left over is slack.
TEST(Watchdog, ALeaseThatThreeDoesNotDivideShiftsThatByOneOrTwoMilliseconds) {
  for (const auto& [timeout, faults] : {std::pair{30'000, 2}, {30'001, 2}, {30'002, 3}, {30'003, 2}}) {
    const string parameters = "watchdog_timeout = " + ms(timeout) + "\n";
    const auto at = [&](int start) { return needs(Guarded{start, may_lose(3, "request"), parameters}, "redisson"); };
    EXPECT_EQ(at_some_time(at, after_grant, timeout + 2), faults) << timeout;
  }
}

TEST(Watchdog, ThreeLostAlwaysMatter) {
  EXPECT_NE(needs(Guarded{after_first, lost(renewal, {2, 3, 4})}, "redisson"), never);
  EXPECT_NE(needs(Guarded{after_grant, lost(renewal, {1, 2, 3})}, "redisson"), never);
}

TEST(Watchdog, OfNote002DiesAtItsFirstFailedRenewal) {
  EXPECT_EQ(needs(Guarded{100'000, ""}, "redisson-note-002"), never);
  EXPECT_EQ(needs(Guarded{100'000, may_lose(1, "request")}, "redisson-note-002"), 1);
  EXPECT_EQ(needs(Guarded{100'000, may_lose(1, "reply")}, "redisson-note-002"), 1);
  EXPECT_EQ(needs(Guarded{after_grant - 1, lost(renewal, {1})}, "redisson-note-002"), never);
  EXPECT_NE(needs(Guarded{after_grant, lost(renewal, {1})}, "redisson-note-002"), never);
}

// The notes' guard thread: EXPIRE 20 s at 29 s, 49 s, 69 s after the grant. Renewal 1 arrives at 29.003 s, and so the
// lease ends at 49.003 s, which is when renewal 2 arrives.
TEST(GuardThread, DiesIffARenewalIsLaterThanTheLastByAnyAmount) {
  const auto broken = [](int first_late, int second_late) {
    const int rival = 49'003 + first_late / 1000;
    return needs(Guarded{rival, late("EXPIRE", 1, first_late) + late("EXPIRE", 2, second_late)}, "guard-thread") !=
           never;
  };
  EXPECT_FALSE(broken(0, 0));
  EXPECT_FALSE(broken(0, 999));  // equal milliseconds survive
  EXPECT_TRUE(broken(0, 1000));
  EXPECT_FALSE(broken(7000, 7000));
  EXPECT_TRUE(broken(7000, 8000));
}

TEST(GuardThread, NeedsNoFaultOnceDelaysDiffer) {
  const auto at = [](int start) {
    return needs(Guarded{.rival = start, .latency = "[\"1ms\", \"2ms\"]"}, "guard-thread");
  };
  EXPECT_EQ(at_some_time(at, 49'001, 49'006), 0);
}

/// The slack of the first is 1 s, less the way of the grant's reply and its own: 998 ms here.
TEST(GuardThread, TheFirstRenewalHasOneSecond) {
  const auto faults = [](int by) { return needs(Guarded{after_grant, late("EXPIRE", 1, by)}, "guard-thread"); };
  EXPECT_EQ(faults(998'999), never);
  EXPECT_EQ(faults(999'000), 0);
}

/// Repaired, every T / 3: survives a renewal that comes up to 2T/3 later than the one before, and counts the first from
/// the reply of the grant: its own and that one's way, 2 ms here, are lost.
TEST(GuardThread, RepairedSurvivesTwoThirdsOfTheLease) {
  const auto faults = [](int n, int by, int rival) {
    return needs(Guarded{.rival = rival, .faults = late("compare-and-expire", n, by), .timeout = ms(60'000)},
                 "guard-thread-repaired");
  };
  EXPECT_EQ(faults(2, 20'000'999, after_first), never);
  EXPECT_EQ(faults(2, 20'001'000, after_first), 0);
  EXPECT_EQ(faults(1, 19'998'999, after_grant), never);
  EXPECT_EQ(faults(1, 19'999'000, after_grant), 0);
}

}  // namespace
}  // namespace lockproof::tests::boundaries_test
