// SPDX-License-Identifier: Apache-2.0
// Bounds in time: clients poll in every phase. Edges by arithmetic, a subject that breaks each property and one that
// does not, and a run that shows what breaks. The server counts milliseconds, so that a lease of L lasts for L and up
// to one more; in its last microsecond a rival is still refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

constexpr Duration lease = seconds(10), retry = seconds(1), ms = milliseconds(1);

/// Two clients that poll; one of them may crash, or what else the budget says.
struct Polling {
  std::string judged{};  // lines of [judge]
  std::string algorithm = "set-px-token", work = R"("read", "hold 3s", "write")", clients{}, contention{};
  std::string fault = "kind = \"crash\"\n";
  int faults = 1;

  [[nodiscard]] harness::Scenario scenario() const {
    return tests::scenario("[workload]\nclients = 2\nlease = \"10s\"\nretry = \"1s\"\nwork = [" + work + "]\n" +
                               clients + (judged.empty() ? "" : "[judge]\n" + judged) + "[explore]\nattempts = 40\n" +
                               contention + "max_faults = " + std::to_string(faults) + "\n[[explore.fault]]\n" + fault,
                           algorithm);
  }
};

std::string bound(const std::string& key, Duration most) { return key + " = \"" + harness::to_text(most) + "\"\n"; }

std::string verdict_of(const Polling& polling, const std::string& property) {
  return verdict(answered(polling.scenario()), property);
}

/// The client dies as its command leaves, which takes a message. The rival is refused in the last microsecond of the
/// lease, hears that a message later, waits, and asks and hears again.
TEST(ZoneBounds, ATakeoverHasTheEdgeOfArithmetic) {
  const Duration latest = ms + lease + ms - Duration(1) + ms + retry + 2 * ms;
  const std::string property = "bounded-takeover";
  EXPECT_EQ(verdict_of({.judged = bound("takeover", latest)}, property), "holds");
  EXPECT_EQ(verdict_of({.judged = bound("takeover", latest - ms)}, property), "violated");
  EXPECT_EQ(verdict_of({.judged = bound("takeover", latest - ms), .faults = 0}, property), "holds") << "nobody dies";
}

/// Nobody has the lock from the instant on at which the first client wants it, which dies just before it enters. A
/// rival that begins to want it at that instant asks ten times in vain, each time two messages and its retry after the
/// last one.
TEST(ZoneBounds, AStandstillHasTheEdgeOfArithmetic) {
  const Duration latest = 2 * ms + 10 * (retry + 2 * ms) + 2 * ms;
  for (const std::string key : {"available", "progress"}) {
    const std::string property = key == "available" ? "availability" : "deadlock-freedom";
    EXPECT_EQ(verdict_of({.judged = bound(key, latest)}, property), "holds");
    EXPECT_EQ(verdict_of({.judged = bound(key, latest - ms)}, property), key == "available" ? "violated" : "livelock");
  }
}

/// Without faults the rival waits while the holder works: from the instant at which it begins to want the lock.
TEST(ZoneBounds, StarvationHasTheEdgeOfArithmetic) {
  Polling polling{.faults = 0};
  // The holder has the lock for three seconds and six messages, is heard of one message late, and is asked for again.
  const std::string property = "starvation-freedom";
  polling.judged = bound("waiting", seconds(5));
  EXPECT_EQ(verdict_of(polling, property), "holds");
  polling.judged = bound("waiting", seconds(3));
  EXPECT_EQ(verdict_of(polling, property), "starvation");
}

TEST(ZoneBounds, ALockThatNobodyFreesIsAnOrphan) {
  const Polling dies{.judged = bound("progress", seconds(20)), .algorithm = "setnx-del"};
  EXPECT_EQ(verdict_of(dies, "deadlock-freedom"), "orphaned");
  const Polling ends{.judged = bound("progress", seconds(20))};
  EXPECT_EQ(verdict_of(ends, "deadlock-freedom"), "holds");
}

/// A client that is paused or cut off does not count as wanting, and a server that is down counts for availability.
TEST(ZoneBounds, WhoCannotTakePartDoesNotWait) {
  const std::string paused = "kind = \"pause\"\ntarget = \"clients\"\nfor = \"..20s\"\n";
  Polling polling{.judged = bound("waiting", seconds(12)), .fault = paused};
  EXPECT_EQ(verdict_of(polling, "starvation-freedom"), "holds");
  polling.fault = "kind = \"pause\"\ntarget = \"redis-1\"\nfor = \"..8s\"\n";
  polling.judged = bound("available", seconds(15));
  EXPECT_EQ(verdict_of(polling, "availability"), "violated");
  polling.judged = bound("progress", seconds(15));
  EXPECT_EQ(verdict_of(polling, "deadlock-freedom"), "holds");
  polling.algorithm = "setnx-del";  // a command that waited for longer than its time-out takes the lock, for nobody
  EXPECT_EQ(verdict_of(polling, "deadlock-freedom"), "orphaned") << "the server goes on";
}

/// Points judge one phase. What they find zones find, too.
TEST(ZoneBounds, FindWhatPointsFind) {
  for (const std::string key : {"takeover", "available", "progress", "waiting"}) {
    for (const Duration most : {seconds(2), seconds(9), seconds(14)}) {
      const Polling polling{.judged = bound(key, most)};
      const search::Answer zones = answered(polling.scenario());
      const search::Answer points = answered(polling.scenario(), search::Engine::stateful);
      for (const auto& [kind, found] : points.found.broken) {
        EXPECT_TRUE(zones.found.broken.contains(kind)) << key << " " << kind.first << " " << kind.second;
      }
    }
  }
}

/// So they do where clocks stand still, jump or run at another rate, and where the scenario places a fault.
TEST(ZoneBounds, FindWhatPointsFindOfClocks) {
  const std::vector<std::string> faults{
      "kind = \"suspend\"\ntarget = \"clients\"\nfor = [\"3s\", \"12s\"]\n",
      "kind = \"clock-jump\"\ntarget = \"redis-1\"\nby = [\"-8s\", \"8s\"]\n",
      "kind = \"clock-rate\"\ntarget = \"redis-1\"\nrate = [\"-2%\", \"2%\"]\n",
      "kind = \"crash\"\n[[fault]]\nkind = \"partition\"\ntarget = \"client-1\"\npeer = \"redis-1\"\nat = \"1s\"\n"
      "for = \"7s\"\n",
      "kind = \"crash\"\n[[fault]]\nkind = \"suspend\"\ntarget = \"client-2\"\nat = \"1s\"\nfor = \"12s\"\n"};
  for (const std::string& fault : faults) {
    for (const std::string key : {"takeover", "available", "progress", "waiting"}) {
      const Polling polling{.judged = bound(key, seconds(9)), .fault = fault};
      const search::Answer zones = answered(polling.scenario());
      const search::Answer points = answered(polling.scenario(), search::Engine::stateful);
      for (const auto& [kind, found] : points.found.broken) {
        const auto is_alike = [&](const auto& other) { return other.first.first == kind.first; };  // of some kind
        EXPECT_TRUE(std::ranges::any_of(zones.found.broken, is_alike)) << fault << key << " " << kind.first;
      }
    }
  }
}

/// The files of a review: client-2 begins at 0 s in one and at 900 ms in the other.
TEST(ZoneBounds, NoPhaseIsChosen) {
  const std::string late = "[[client]]\nname = \"client-2\"\nstart = \"900ms\"\n";
  for (const std::string& clients : {std::string(), late}) {
    Polling polling{.judged = bound("takeover", milliseconds(10'500)), .clients = clients};
    const search::Answer answer = answered(polling.scenario(), search::Engine::either);
    EXPECT_EQ(verdict(answer, "bounded-takeover"), "violated") << clients;
    EXPECT_TRUE(answer.found.timed && answer.found.timed->every_phase);
    polling.judged = bound("takeover", milliseconds(11'005));
    EXPECT_EQ(verdict(answered(polling.scenario(), search::Engine::either), "bounded-takeover"), "holds") << clients;
  }
}

/// The holder's lease ends at some ten seconds, and a long pause lets it write behind that.
TEST(ZoneBounds, AStartWindowIsSearchedWhole) {
  const auto window = [](const std::string& pause) {
    return Polling{.clients = "[[client]]\nname = \"client-2\"\nstart = [\"1s\", \"12s\"]\n",
                   .contention = "contention = \"as-written\"\n",
                   .fault = "kind = \"pause\"\ntarget = \"client-1\"\nfor = \"" + pause + "\"\n"}
        .scenario();
  };
  const search::Answer violated = answered(window("11s"), search::Engine::either);
  EXPECT_EQ(verdict(violated, "resource-safety"), "violated");
  EXPECT_TRUE(violated.found.every_timing);
  EXPECT_EQ(verdict(answered(window("3s"), search::Engine::either), "resource-safety"), "holds");
}

/// The holder is paused between its read and its write, as the scenario says; a rival comes at any instant of a window.
TEST(ZoneBounds, AFaultThatIsPlacedAtAnEventStrikesInAStartWindow) {
  const auto window = [](const std::string& fault) {
    const harness::Scenario scenario = tests::scenario(
        "[workload]\nclients = 2\nlease = \"10s\"\nattempts = 1\nwork = [\"read\", \"hold 6s\", \"write\"]\n"
        "[[client]]\nname = \"client-2\"\nstart = [\"1s\", \"12s\"]\n" +
            fault + "[explore]\ncontention = \"as-written\"\n",
        "set-px-token");
    const search::Answer answer = answered(scenario, search::Engine::either);
    EXPECT_TRUE(answer.found.every_timing);
    return verdict(answer, "mutual-exclusion") + " " + verdict(answer, "resource-safety");
  };
  const auto pause = [](const std::string& lasts) {
    return "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 after READ\"\nfor = \"" + lasts +
           "\"\n";
  };
  EXPECT_EQ(window(pause("11s")), "outlived violated");
  EXPECT_EQ(window(pause("3s")), "holds holds");
  EXPECT_EQ(window(""), "holds holds");
}

}  // namespace
}  // namespace lockproof::zones
