// SPDX-License-Identifier: Apache-2.0
// Two engines that share little but the world itself: the stateful one must see what the re-execution engine sees,
// state for state and transition for transition, and find the same with the same number of faults and events.
#include "harness/scenario/file/write.hpp"
#include "search/engines/either_engine.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::engines_test {
namespace {

struct Search {
  const char* algorithm;
  const char* more;
  const char* fault;
  const char* contention = "as-written";  // free asks make other tests' spaces of these
};

std::string text_of(const Search& search) {
  return std::string("[workload]\nlease = \"2s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n") + search.more +
         "[explore]\nattempts = 3\nretry = \"T/2\"\ncontention = \"" + search.contention + "\"\n[[explore.fault]]\n" +
         search.fault;
}

// A monitor that counts time, and looks at what is left of a key's by its server's clock.
constexpr const char* in_time = "[judge]\nprogress = \"1500ms\"\n";
constexpr const char* waiting = "[judge]\nwaiting = \"1500ms\"\n";
constexpr const char* available = "[judge]\navailable = \"1500ms\"\n";
constexpr const char* periods = "period = \"3s\"\nrounds = 2\n[[client]]\nname = \"client-2\"\nclock = \"+1500ms\"\n";
constexpr const char* kept = "period = \"3s\"\nrounds = 2\nrelease_tries = 0\n";
constexpr const char* marked = "period = \"3s\"\n[resource]\nmarker = \"period\"\n";
constexpr const char* three_in_time = "[servers]\nredis = 3\n[judge]\nprogress = \"1500ms\"\n";

class BothEngines : public testing::TestWithParam<Search> {};

TEST_P(BothEngines, SeeTheSame) {
  harness::Scenario scenario = tests::scenario(text_of(GetParam()), GetParam().algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  ASSERT_EQ(stateful_engine_refuses(scenario, bounds), "");
  for (const bool reduce : {true, false}) {
    const Exploration slow = explore_by_reexecution(scenario, bounds, {.reduce = reduce});
    const Exploration fast = explore_stateful(scenario, bounds, {.reduce = reduce});
    EXPECT_TRUE(fast.complete);
    tests::expect_same_search(slow, fast);
  }
}

/// What one fault leaves behind meets another: both engines must know the same of it.
class TwoFaults : public testing::TestWithParam<const char*> {};

TEST_P(TwoFaults, SeeTheSame) {
  harness::Scenario scenario = tests::scenario(
      std::string(
          "[workload]\nlease = \"10s\"\nwork = [\"hold 6s\"]\n[explore]\nmax_faults = 2\nattempts = 2\n"
          "retry = \"T/2\"\n[[explore.fault]]\nkind = \"delay\"\nby = \"T\"\nlate = \"reply\"\n[[explore.fault]]\n") +
          GetParam(),
      "token-pubsub");
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  tests::expect_same_search(explore_by_reexecution(scenario, bounds, {.reduce = false}),
                            explore_stateful(scenario, bounds, {.reduce = false}));
}

INSTANTIATE_TEST_SUITE_P(LateAnd, TwoFaults,
                         testing::Values("kind = \"pause\"\ntarget = \"servers\"\nfor = \"T/2\"\n",
                                         "kind = \"restart\"\nfor = \"T/2\"\n"),
                         [](const auto& one) { return one.index == 0 ? "HeldBack" : "Refused"; });

class EachEngine : public testing::TestWithParam<decltype(&explore_stateful)> {};
INSTANTIATE_TEST_SUITE_P(Each, EachEngine, testing::Values(explore_stateful, explore_by_reexecution),
                         [](const auto& one) { return one.index == 0 ? "Stateful" : "Reexecution"; });

std::map<ViolationKind, int> faults_of(const Exploration& found) {
  std::map<ViolationKind, int> faults;
  for (const auto& [way, broken] : found.broken) faults.emplace(way, broken.faults);
  return faults;
}

TEST_P(BothEngines, TheReductionLosesNoVerdictAndNoFewestFaults) {
  harness::Scenario scenario = tests::scenario(text_of(GetParam()), GetParam().algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  EXPECT_EQ(faults_of(explore_stateful(scenario, bounds, {})),
            faults_of(explore_stateful(scenario, bounds, {.reduce = false})));
}

TEST_P(BothEngines, TheFastOnesCounterexamplesRun) {
  harness::Scenario scenario = tests::scenario(text_of(GetParam()), GetParam().algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  for (const auto& [way, broken] : explore_stateful(scenario, bounds, {}).broken) {
    const auto shown = counterexample(scenario, bounds, way.first, way.second, broken, seconds(10));
    ASSERT_TRUE(shown) << way.first << " " << way.second;
    const harness::Scenario read = harness::parse_scenario("written.toml", harness::to_toml(shown->scenario));
    EXPECT_EQ(tests::judged(tests::run(read), read, way.first).kind, way.second);
  }
}

constexpr const char* pause = "kind = \"pause\"\ntarget = \"clients\"\nfor = [\"T/2\", \"T\"]\n";
constexpr const char* server_pause = "kind = \"pause\"\ntarget = \"servers\"\nfor = [\"T/2\", \"T\"]\n";
constexpr const char* crash = "kind = \"crash\"\n";
constexpr const char* killed_task = "kind = \"kill-task\"\n";
constexpr const char* drop = "kind = \"half-open\"\n";
constexpr const char* delay = "kind = \"delay\"\nby = [\"T/2\", \"T\"]\n";
constexpr const char* resend = "kind = \"resend\"\nfor = \"T/2\"\n";
constexpr const char* retry = "kind = \"retry\"\nlose = [\"nothing\", \"reply\"]\n";
constexpr const char* jump = "kind = \"clock-jump\"\nby = [\"T\", \"-T/2\"]\n";
constexpr const char* rate = "kind = \"clock-rate\"\nrate = [\"+2%\", \"-2%\"]\n";
constexpr const char* rate_for = "kind = \"clock-rate\"\nrate = [\"+50%\", \"-50%\"]\nfor = \"T/2\"\n";
constexpr const char* slow = "kind = \"clock-rate\"\ntarget = \"client-2\"\nrate = \"-2%\"\n";
constexpr const char* evict = "kind = \"evict\"\n";
constexpr const char* flush = "kind = \"flush\"\n";
constexpr const char* restart = "kind = \"restart\"\nfor = [\"1s\", \"T\"]\n";
constexpr const char* power_cut = "kind = \"power-cut\"\nfor = \"T/2\"\n";
constexpr const char* one_power_cut = "kind = \"power-cut\"\ntarget = \"redis-2\"\nfor = \"T/2\"\n";
constexpr const char* one_restart = "kind = \"restart\"\ntarget = \"redis-2\"\nfor = \"T/2\"\n";
constexpr const char* broken = "kind = \"break-connection\"\nmost = 2\n";
constexpr const char* partition = "kind = \"partition\"\nfor = [\"T/2\", \"T\"]\n";
constexpr const char* partitions = "kind = \"partition\"\nmost = 2\nfor = \"T/2\"\n";
constexpr const char* seconds_kept = "[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n";
constexpr const char* snapshots = "[[server]]\nname = \"redis-1\"\npersistence = \"rdb\"\n";
constexpr const char* by_server =
    "[[fault]]\nkind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"redis-1\"\n"
    "when = \"redis-1 before DEL of client-1\"\n"
    "[[fault]]\nkind = \"partition\"\ntarget = \"redis-1\"\nat = \"500ms\"\nfor = \"1s\"\n"
    "[[fault]]\nkind = \"break-connection\"\ntarget = \"client-2\"\npeer = \"redis-1\"\nat = \"900ms\"\n";
constexpr const char* fenced = "[resource]\nfencing = \"writes\"\n[network]\nlatency = [\"1ms\", \"2ms\"]\n";
constexpr const char* window = "[network]\nlatency = [\"1ms\", \"2ms\"]\n";
constexpr const char* ahead = "[[client]]\nname = \"client-2\"\nclock = \"+1500ms\"\n";
// The rival enters while the holder is inside, so that what strikes as it enters strikes at a violation.
constexpr const char* outrun = "[[client]]\nname = \"client-2\"\nclock = \"+1500ms\"\nstart = \"600ms\"\n";
constexpr const char* short_time_out = "[network]\ntimeout = \"500ms\"\n";
constexpr const char* scripted =
    "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nfor = \"3s\"\n"
    "[[fault]]\nkind = \"clock-jump\"\ntarget = \"redis-1\"\nat = \"500ms\"\nby = \"+1s\"\n";

INSTANTIATE_TEST_SUITE_P(
    OverAlgorithmsAndFaults, BothEngines,
    testing::Values(
        Search{"set-px-token", "", pause}, Search{"set-px-token", "", server_pause},
        Search{"set-px-token", window, crash}, Search{"set-px-token", short_time_out, delay},
        Search{"set-px-token", scripted, drop}, Search{"set-px-token", "", rate}, Search{"set-px-token", "", rate_for},
        Search{"getset-timestamp", "", rate_for}, Search{"set-ex-get-del", "", drop},
        Search{"set-ex-del", "rounds = 2\n", resend}, Search{"setnx-expire-del", "", crash},
        Search{"getset-timestamp", ahead, jump}, Search{"getset-timestamp", outrun, jump},
        Search{"getset-timestamp", outrun, crash}, Search{"getset-timestamp", ahead, delay},
        Search{"getset-timestamp-004", ahead, rate}, Search{"redisson", "", killed_task},
        Search{"redisson", short_time_out, drop}, Search{"redisson-note-002", "", evict},
        Search{"fenced-token", "", flush}, Search{"guard-thread-repaired", "", crash},
        Search{"set-px-thread-id", "", pause}, Search{"redlock", "clients = 2\n[servers]\nredis = 3\n", crash},
        Search{"set-px-token", "", restart}, Search{"set-px-token", seconds_kept, power_cut},
        Search{"set-ex-del", snapshots, restart}, Search{"set-px-token", window, restart},
        Search{"redisson", "", restart}, Search{"set-px-token", short_time_out, broken},
        Search{"redisson", short_time_out, broken}, Search{"setnx-expire-del", "", partition},
        Search{"set-px-token", short_time_out, partitions}, Search{"set-ex-del", by_server, drop},
        Search{"getset-timestamp", ahead, partition},
        Search{"redlock", "clients = 2\n[servers]\nredis = 3\n", one_power_cut}, Search{"setnx-del", in_time, crash},
        Search{"set-px-token", in_time, delay}, Search{"set-px-token", in_time, jump},
        Search{"set-px-token", in_time, rate}, Search{"set-px-token", in_time, restart},
        Search{"setnx-expire-del", in_time, partition}, Search{"set-px-token", in_time, partitions},
        Search{"redisson", in_time, resend}, Search{"token-pubsub", in_time, pause},
        Search{"redlock", three_in_time, one_restart}, Search{"set-px-token", waiting, pause},
        Search{"set-px-token", available, pause}, Search{"set-px-token", available, restart},
        Search{"set-px-token", available, partition}, Search{"set-px-token", available, server_pause},
        Search{"set-px-token", periods, jump}, Search{"set-px-token", periods, rate}, Search{"redisson", marked, crash},
        Search{"set-px-token", marked, drop}, Search{"set-px-token", kept, evict},
        Search{"fenced-token", fenced, evict}, Search{"fenced-token", fenced, restart},
        Search{"getset-timestamp-004", ahead, slow, "adversarial"}, Search{"set-ex-del", short_time_out, retry},
        Search{"redisson", short_time_out, retry}, Search{"set-px-token", in_time, retry},
        Search{"redlock", "clients = 2\n[servers]\nredis = 3\n", retry},
        Search{"setnx-expire-del", "", killed_task, "adversarial"}),
    [](const auto& one) { return "No" + std::to_string(one.index + 1); });

/// Gathers are what it is for: faults strike in the middle of them.
TEST(StatefulEngine, TheReductionLosesNoVerdictOfRedlock) {
  for (const char* algorithm : {"redlock", "redlock-unlock-by-name", "redlock-no-drift-term"}) {
    for (const std::string fault : {pause, crash, killed_task, jump, drop, restart}) {
      harness::Scenario scenario = tests::scenario(
          "[workload]\nclients = 2\nlease = \"2s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n[servers]\nredis = 3\n"
          "[explore]\nattempts = 2\nretry = \"T/2\"\ncontention = \"as-written\"\n[[explore.fault]]\n" +
              fault,
          algorithm);
      const harness::Bounds bounds = scenario.explore.value();
      scenario = bounded(scenario, bounds, false);
      const Exploration all = explore_stateful(scenario, bounds, {.reduce = false});
      const Exploration reduced = explore_stateful(scenario, bounds, {});
      EXPECT_EQ(faults_of(all), faults_of(reduced)) << algorithm << " " << fault;
      EXPECT_LT(reduced.states, all.states);
    }
  }
}

/// Nothing is shown where nobody contends or a fault does not strike; both engines must tell.
TEST_P(EachEngine, SeeWhoContendsAndWhatStrikes) {
  const auto seen = [](const std::string& more) {
    harness::Scenario scenario = tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n" + more);
    const harness::Bounds as_written{.contention = harness::Contention::as_written};
    scenario = bounded(scenario, as_written, false);
    const Exploration found = GetParam()(scenario, as_written, {});
    return std::pair(found.contended, found.struck);
  };
  const std::string pausing = "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nfor = \"1s\"\n";
  const std::set<int> first{1}, none;
  // The second one asks while the first one's request is lost, and is never refused.
  const std::string lost =
      "[[client]]\nname = \"client-2\"\nstart = \"100ms\"\n[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\n"
      "when = \"client-1 before SET\"\n[[client]]\nname = \"client-1\"\nacquire_timeout = \"0s\"\n";
  EXPECT_EQ(seen(lost), std::pair(true, first));
  const std::string after = "[[client]]\nname = \"client-2\"\nstart = \"1500ms\"\n";
  EXPECT_EQ(seen(after + pausing + "when = \"client-1 enters #2\"\n"), std::pair(false, none));
  EXPECT_EQ(seen(after + pausing + "when = \"client-1 enters\"\n"), std::pair(true, first));
}

/// Whatever can be found with fewer faults, or with as many and no more events than a stopped search has reached, it
/// has found; and the estimate of what it has seen grows to nearly all.
TEST_P(EachEngine, SaysHowFarItCame) {
  harness::Scenario scenario = tests::scenario(text_of({"set-px-token", "", drop}) +
                                               "[[explore.fault]]\nkind = \"pause\"\nfor = [\"T/2\", \"T\"]\n");
  harness::Bounds bounds = scenario.explore.value();
  bounds.max_faults = 2;
  scenario = bounded(scenario, bounds, false);
  const Exploration whole = GetParam()(scenario, bounds, {});
  ASSERT_TRUE(whole.complete);
  EXPECT_FALSE(whole.reached || whole.probed);
  double first = -1, last = -1;
  int stopped = 0;
  for (std::uint64_t states = whole.states / 5; states < whole.states; states += whole.states / 5) {
    Limits limits;
    limits.go_on = [&](const Progress& progress) { return progress.states < states; };
    const Exploration part = GetParam()(scenario, bounds, limits);
    if (part.complete) continue;  // it looks at its limits now and then only
    ++stopped;
    ASSERT_TRUE(part.reached && part.probed);
    const auto [faults, depth] = *part.reached;
    for (const auto& [way, known] : whole.broken) {
      const bool within = std::pair(known.faults, known.depth) <= std::pair(faults, depth);
      EXPECT_TRUE(part.broken.contains(way) || !within) << way.first;
    }
    harness::Bounds fewer = bounds;
    fewer.max_faults = faults - 1;
    EXPECT_TRUE(faults == 0 || part.states >= GetParam()(bounded(scenario, fewer, false), fewer, {}).states);
    last = static_cast<double>(part.probed->visited) / static_cast<double>(part.probed->met);
    if (first < 0) first = last;
  }
  EXPECT_GE(stopped, 2);
  EXPECT_GT(first, 0);
  EXPECT_LT(first, last);
  EXPECT_LE(last, 1);
}

/// Of a budget, too: a replica has no clients whose commands could be an event, so what strikes it by one never does,
/// but for what strikes it at its master's.
TEST_P(EachEngine, SeeWhichFaultsOfABudgetStrike) {
  using Offers = std::set<Budget::Offer>;
  const auto seen = [](const std::string& text) {
    harness::Scenario scenario = tests::scenario("[workload]\nlease = \"2s\"\nattempts = 2\n" + text);
    const harness::Bounds bounds = scenario.explore.value();
    return GetParam()(bounded(scenario, bounds, false), bounds, {}).of_budget;
  };
  const std::string drops = "[explore]\n[[explore.fault]]\nkind = \"half-open\"\n";  // of two clients, two ways each
  EXPECT_EQ(seen(drops), (Offers{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(seen(drops + "[[explore.fault]]\nkind = \"clock-rate\"\nrate = \"+1%\"\ntarget = \"servers\"\n").size(),
            5u);
  EXPECT_EQ(seen("[explore]\nmax_faults = 0\n[[explore.fault]]\nkind = \"crash\"\n"), Offers());
  const std::string cut = "[[explore.fault]]\nkind = \"power-cut\"\nfor = \"1s\"\n";  // at once, and 1us later
  EXPECT_EQ(seen("[explore]\n" + cut + cut), (Offers{{0, 0}, {0, 1}, {1, 0}, {1, 1}})) << "equal faults of two entries";
  if (GetParam() == explore_stateful) return;
  EXPECT_EQ(
      seen("[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n[explore]\n"
           "[[explore.fault]]\nkind = \"evict\"\n[[explore.fault]]\nkind = \"replication-stall\"\nfor = \"1s\"\n"),
      (Offers{{0, 0}, {1, 0}}));
}

/// One that lasts to the end is there from the start; one that ends begins at an event.
TEST_P(EachEngine, ARateThatEndsStrikesWhereItHurts) {
  const auto found = [](const std::string& how) {
    harness::Scenario scenario = tests::scenario(
        "[workload]\nlease = \"4s\"\nattempts = 1\nwork = [\"hold 3s\"]\n[explore]\n[[explore.fault]]\nkind = "
        "\"clock-rate\"\ntarget = \"servers\"\n" +
        how);
    const harness::Bounds bounds = scenario.explore.value();
    scenario = bounded(scenario, bounds, false);
    const Exploration all = GetParam()(scenario, bounds, {});
    EXPECT_TRUE(all.complete);
    const ViolationKind way{"mutual-exclusion", "double-grant"};
    if (!all.broken.contains(way)) return std::string("holds");
    const auto shown = counterexample(scenario, bounds, way.first, way.second, all.broken.at(way), seconds(10));
    const harness::Fault& fault = shown.value().scenario.faults.front();
    return fault.when ? "before " + fault.when->verb : harness::to_text(*fault.at);
  };
  EXPECT_EQ(found("rate = \"+100%\"\n"), "0s");
  EXPECT_EQ(found("rate = \"+100%\"\nfor = \"2s\"\n"), "before SET");
  EXPECT_EQ(found("rate = \"+100%\"\nfor = \"500ms\"\n"), "holds");
}

class Workers : public testing::TestWithParam<Search> {};

/// To the byte: the same numbers, and the same schedules. Large enough for the workers to share its levels.
TEST_P(Workers, GiveTheSameAnswerHoweverMany) {
  harness::Scenario scenario = tests::scenario(text_of(GetParam()), GetParam().algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  const Exploration alone = explore_stateful(scenario, bounds, {.workers = 1, .reduce = false});
  EXPECT_GT(alone.states, 10'000u);
  for (const unsigned workers : {2u, 3u}) {
    const Exploration together = explore_stateful(scenario, bounds, {.workers = workers, .reduce = false});
    EXPECT_TRUE(together.complete);
    tests::expect_same_search(alone, together);
    EXPECT_EQ(alone.bytes, together.bytes);
    for (const auto& [way, shown] : alone.broken) {
      ASSERT_TRUE(together.broken.contains(way));
      EXPECT_EQ(shown.choices, together.broken.at(way).choices);
      const auto text = [&, way = way](const ShortestViolation& of) {
        return harness::to_toml(counterexample(scenario, bounds, way.first, way.second, of, seconds(10))->scenario);
      };
      EXPECT_EQ(text(shown), text(together.broken.at(way)));
    }
  }
}

/// Stopped in the middle of a level, too.
TEST_P(Workers, StopAtTheSameState) {
  harness::Scenario scenario = tests::scenario(text_of(GetParam()), GetParam().algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  const auto first = [](const std::set<ViolationKind>& ways) { return !ways.empty(); };
  const Exploration alone = explore_stateful(scenario, bounds, {.workers = 1, .reduce = false, .enough = first});
  const Exploration together = explore_stateful(scenario, bounds, {.workers = 2, .reduce = false, .enough = first});
  EXPECT_EQ(alone.stopped, together.stopped);
  EXPECT_EQ(alone.states, together.states);
  EXPECT_EQ(alone.transitions, together.transitions);
  EXPECT_EQ(alone.broken.size(), together.broken.size());
}

constexpr const char* twice = "rounds = 2\n[network]\nlatency = [\"1ms\", \"2ms\"]\n";
constexpr const char* hasty = "clients = 3\n[network]\nlatency = [\"1ms\", \"2ms\"]\ntimeout = \"500ms\"\n";

INSTANTIATE_TEST_SUITE_P(OverAlgorithmsAndFaults, Workers,
                         testing::Values(Search{"set-px-token", twice, pause},
                                         Search{"set-px-token", twice, server_pause},
                                         Search{"set-ex-del", hasty, broken}, Search{"redisson", hasty, drop},
                                         Search{"getset-timestamp", window, jump},
                                         Search{"set-px-token", hasty, partition},
                                         Search{"redlock", "clients = 2\n[servers]\nredis = 3\n", restart},
                                         Search{"getset-timestamp-004", ahead, jump, "adversarial"}),
                         [](const auto& one) { return "No" + std::to_string(one.index + 1); });

/// A subscription arrives over a connection that its client has closed meanwhile: no news is sent there.
TEST(StatefulEngine, KnowsThatAConnectionWasClosedBeforeAnythingCameOverIt) {
  harness::Scenario scenario = tests::scenario(
      "[workload]\nlease = \"4s\"\nwork = [\"hold 2s\"]\n[network]\nlatency = [\"200ms\", \"300ms\"]\n"
      "timeout = \"700ms\"\n[run]\ngrid = \"100ms\"\n[explore]\ncontention = \"as-written\"\nattempts = 2\n"
      "retry = \"500ms\"\n[[explore.fault]]\nkind = \"delay\"\nby = \"1500ms\"\n",
      "redisson-note-002");
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  for (const bool reduce : {true, false}) {
    tests::expect_same_search(explore_by_reexecution(scenario, bounds, {.reduce = reduce}),
                              explore_stateful(scenario, bounds, {.reduce = reduce}));
  }
}

TEST(StatefulEngine, SaysWhatItCannotSearch) {
  const auto refusal = [](const std::string& fault) {
    const std::string servers = "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";
    const harness::Scenario scenario =
        tests::scenario("[workload]\nclients = 2\n" + servers + "[[fault]]\n" + fault + "[explore]\n");
    return stateful_engine_refuses(scenario, scenario.explore.value());
  };
  EXPECT_EQ(refusal("kind = \"client-pause\"\ntarget = \"redis-1\"\nat = \"1s\"\nfor = \"1s\"\n"), "a client-pause");
  const std::string failover = "kind = \"failover\"\ntarget = \"redis-1\"\nto = \"redis-2\"\n";
  EXPECT_EQ(refusal(failover + "when = \"client-1 enters\"\n"),
            "a failover placed by a client's event, without a delay");
  EXPECT_EQ(refusal(failover + "when = \"client-1 enters\"\nafter = \"1ms\"\n"), "");
  EXPECT_EQ(refusal(failover + "when = \"redis-1 after SET\"\n"), "");
  const std::string end_of_one = "kind = \"crash\"\ntarget = \"client-1\"\nwhen = ";
  EXPECT_EQ(refusal(end_of_one + "\"client-2 enters\"\n"), "a client that ends at another one's event");
  EXPECT_EQ(refusal(end_of_one + "\"client-2 enters\"\nafter = \"1ms\"\n"), "");
  const std::string lost =
      "kind = \"half-open\"\ntarget = \"client-1\"\nlose = \"reply\"\nwhen = \"redis-1 after SET of client-1\"\n";
  EXPECT_EQ(refusal(lost), "");
  EXPECT_EQ(refusal(lost + "[[fault]]\nkind = \"flush\"\ntarget = \"redis-1\"\nwhen = \"redis-1 after SET\"\n"),
            "a fault of an answer, and another one at its server's events");
}

/// A holder that has outlived its lease ends as its rival enters: for an instant both are inside.
TEST(EitherEngine, JudgesWhatAClientDoesBeforeItEndsAnotherOne) {
  const harness::Scenario scenario = tests::scenario(
      "[workload]\nclients = 2\nlease = \"10s\"\nwork = [\"hold 6s\"]\n[[fault]]\nkind = \"crash\"\n"
      "target = \"client-1\"\nwhen = \"client-2 enters\"\n[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\n"
      "when = \"client-1 enters\"\nfor = \"20s\"\n[explore]\nattempts = 2\nmax_faults = 0\n");
  const auto found = explore_with_either(bounded(scenario, *scenario.explore, false), *scenario.explore, {}, {}).found;
  EXPECT_TRUE(found.broken.contains({"mutual-exclusion", "outlived"}));
}

}  // namespace
}  // namespace lockproof::sim::engines_test
