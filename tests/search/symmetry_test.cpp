// SPDX-License-Identifier: Apache-2.0
// One state for all that differ in the places of interchangeable clients: it must be as many states as there are
// orbits, each must lead to what the others lead to, and no verdict may change.
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "search/state_space/successors.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::symmetry_test {
namespace {

struct Search {
  const char* algorithm;
  const char* more;
  const char* faults;                          // [[explore.fault]] tables
  ClockDetail detail = ClockDetail::relative;  // offsets: some lock reads a wall clock
  int max_faults = 1;
};

struct Space {
  harness::Scenario scenario;
  harness::Bounds bounds;
  explicit Space(const std::string& text, const std::string& algorithm)
      : scenario(tests::scenario(text, algorithm)), bounds(scenario.explore.value()) {
    // What has a bound in time would be searched a second time, and its states counted besides.
    if (text.find("[judge]") != std::string::npos) bounds.contention = harness::Contention::as_written;
    scenario = bounded(scenario, bounds, false);
  }
};

Space space_of(const Search& search) {
  return Space(std::string("[workload]\nlease = \"2s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n") + search.more +
                   "[explore]\nattempts = 2\nretry = \"T/2\"\nmax_faults = " + std::to_string(search.max_faults) +
                   "\n[[explore.fault]]\n" + search.faults,
               search.algorithm);
}

using Tuple = Product::Tuple;

/// What comes next, as the states that stand for it, each with what it breaks.
struct Seen final : Successors::Sink {
  std::vector<Tuple> as_they_are{};
  std::multiset<std::tuple<Tuple, MonitorStates::Violations, std::string, bool, bool>> standing{};
  void see(const Successors::Successor& next) override {
    as_they_are.push_back(next.as_it_is);
    standing.emplace(next.tuple, next.broken, next.exclusion, next.entered, next.contended);
  }
};

class Orbits : public testing::TestWithParam<Search> {};

TEST_P(Orbits, LeadWhereTheirStandInsLeadAndAreAsMany) {
  const Space space = space_of(GetParam());
  ModelFactory models;
  Product product(space.scenario, space.bounds, models, GetParam().detail, {.ties = false, .places = true}, 100);
  ASSERT_TRUE(product.is_symmetric());
  Successors next(product, true);
  std::set<Tuple> met, orbits;
  std::vector<Tuple> waiting = product.initial();
  met.insert(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    const Tuple tuple = waiting.back();
    waiting.pop_back();
    const Tuple standing = next.stand_in(tuple);
    EXPECT_EQ(next.stand_in(standing), standing);
    orbits.insert(standing);
    Seen own, of_stand_in;
    next.each(tuple, own);
    next.each(standing, of_stand_in);
    ASSERT_EQ(own.standing, of_stand_in.standing);
    for (Tuple& one : own.as_they_are) {
      if (met.insert(one).second) waiting.push_back(std::move(one));
    }
  }
  const Exploration all = explore_stateful(space.scenario, space.bounds, {.reduce = false});
  const Exploration fewer = explore_stateful(space.scenario, space.bounds, {.reduce = false, .exchange = true});
  EXPECT_EQ(all.detail, GetParam().detail);
  EXPECT_EQ(met.size(), all.states);
  EXPECT_EQ(orbits.size(), fewer.states);
  EXPECT_TRUE(fewer.exchanged);
  EXPECT_FALSE(all.exchanged);
}

TEST_P(Orbits, ChangeNoVerdictAndNoLength) {
  const Space space = space_of(GetParam());
  const Exploration all = explore_stateful(space.scenario, space.bounds, {.reduce = false});
  const Exploration fewer = explore_stateful(space.scenario, space.bounds, {.reduce = false, .exchange = true});
  ASSERT_EQ(all.broken.size(), fewer.broken.size());
  EXPECT_EQ(all.depth, fewer.depth);
  EXPECT_EQ(all.acquired, fewer.acquired);
  EXPECT_EQ(all.contended, fewer.contended);
  EXPECT_EQ(all.struck, fewer.struck);
  for (const auto& [way, broken] : all.broken) {
    ASSERT_TRUE(fewer.broken.contains(way)) << way.first << " " << way.second;
    EXPECT_EQ(broken.faults, fewer.broken.at(way).faults) << way.first << " " << way.second;
    EXPECT_EQ(broken.depth, fewer.broken.at(way).depth) << way.first << " " << way.second;
  }
}

/// With the other reduction as well: what it leaves out may depend on the places.
TEST_P(Orbits, GiveCounterexamplesThatRun) {
  const Space space = space_of(GetParam());
  const Exploration found = explore_stateful(space.scenario, space.bounds, {.exchange = true});
  for (const auto& [way, broken] : found.broken) {
    EXPECT_TRUE(counterexample(space.scenario, space.bounds, way.first, way.second, broken, seconds(10)))
        << way.first << " " << way.second;
  }
}

TEST_P(Orbits, AreTheSameWithSeveralWorkers) {
  const Space space = space_of(GetParam());
  const Exploration alone = explore_stateful(space.scenario, space.bounds, {.workers = 1, .exchange = true});
  const Exploration together = explore_stateful(space.scenario, space.bounds, {.workers = 2, .exchange = true});
  tests::expect_same_search(alone, together);
  EXPECT_EQ(alone.bytes, together.bytes);
}

constexpr const char* three = "clients = 3\n";
constexpr const char* one_ahead = "clients = 3\n[[client]]\nname = \"client-2\"\nclock = \"+1500ms\"\n";
constexpr const char* three_servers = "[servers]\nredis = 3\n";
constexpr const char* in_time = "[judge]\nprogress = \"1500ms\"\n";
constexpr const char* hasty = "[network]\ntimeout = \"500ms\"\n";

constexpr const char* late_answers_of_a_paused_server =
    "kind = \"delay\"\nby = \"T\"\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = [\"T/2\", \"T\"]\n";
constexpr const char* late_and_restarted =
    "kind = \"delay\"\nby = \"T\"\n[[explore.fault]]\nkind = \"restart\"\nfor = [\"T/2\", \"T\"]\n";
constexpr const char* lost_and_killed = "kind = \"half-open\"\n[[explore.fault]]\nkind = \"kill-task\"\n";

INSTANTIATE_TEST_SUITE_P(
    OverAlgorithmsAndFaults, Orbits,
    testing::Values(Search{"set-px-token", three, "kind = \"pause\"\ntarget = \"clients\"\nfor = \"T\"\n"},
                    Search{"setnx-del", three, "kind = \"crash\"\n"},
                    Search{"set-ex-get-del", three, "kind = \"half-open\"\n"},
                    Search{"set-ex-del", "rounds = 2\n", "kind = \"restart\"\nfor = \"T\"\n"},
                    Search{"getset-timestamp", one_ahead, "kind = \"clock-jump\"\nby = \"T\"\n", ClockDetail::offsets},
                    Search{"set-px-token", "", "kind = \"clock-rate\"\nrate = [\"+2%\", \"-2%\"]\n"},
                    Search{"redisson", hasty, "kind = \"half-open\"\n"},
                    Search{"fenced-token", "", "kind = \"partition\"\nfor = \"T\"\n"},
                    Search{"token-pubsub", in_time, "kind = \"break-connection\"\n"},
                    Search{"redlock", three_servers, "kind = \"crash\"\n"},
                    Search{"set-px-token", "", late_answers_of_a_paused_server, ClockDetail::relative, 2},
                    Search{"set-px-token", "", late_and_restarted, ClockDetail::relative, 2},
                    Search{"set-ex-get-del", "", lost_and_killed, ClockDetail::relative, 2}),
    [](const auto& one) { return "No" + std::to_string(one.index + 1); });

std::vector<int> classes_of(const std::string& text) {
  const Space space(text, "set-px-token");
  return Symmetry(space.scenario, space.bounds).classes();
}

TEST(Symmetry, IsOfClientsThatNothingTellsApart) {
  const std::string three_of_them = "[workload]\nclients = 3\n";
  const std::string search = "[explore]\nattempts = 2\n";
  EXPECT_EQ(classes_of(three_of_them + search), (std::vector<int>{0, 0, 0}));
  const std::string second = "[[client]]\nname = \"client-2\"\n";
  EXPECT_EQ(classes_of(three_of_them + second + "clock = \"+1s\"\n" + search), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(classes_of(three_of_them + second + "start = \"1s\"\n" + search), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(classes_of(three_of_them + second + "work = [\"hold 2s\"]\n" + search), (std::vector<int>{0, 1, 0}));
  const std::string fault = "[[fault]]\nkind = \"crash\"\ntarget = \"client-3\"\nwhen = \"client-3 enters\"\n";
  EXPECT_EQ(classes_of(three_of_them + fault + search), (std::vector<int>{0, 0, 2}));
  const std::string of_one =
      "[[fault]]\nkind = \"pause\"\ntarget = \"redis-1\"\nwhen = \"redis-1 before SET of client-1\"\nfor = \"1s\"\n";
  EXPECT_EQ(classes_of(three_of_them + of_one + search), (std::vector<int>{0, 1, 1}));
  const std::string budget = "[[explore.fault]]\nkind = \"crash\"\ntarget = \"client-2\"\n";
  EXPECT_EQ(classes_of(three_of_them + search + budget), (std::vector<int>{0, 1, 0}));
}

TEST(Symmetry, LetsOnlyInterchangeableClientsChangePlaces) {
  const Space space(
      "[workload]\nclients = 4\n[[client]]\nname = \"client-3\"\nstart = \"1s\"\n[explore]\n"
      "[[explore.fault]]\nkind = \"pause\"\nfor = [\"T/2\", \"T\"]\n",
      "set-px-token");
  const Symmetry symmetry(space.scenario, space.bounds);
  ASSERT_EQ(symmetry.all().size(), 6u);
  EXPECT_EQ(symmetry.all().front(), (Permutation{0, 1, 2, 3}));
  for (const Permutation& places : symmetry.all()) {
    EXPECT_EQ(places[2], 2);
    const std::vector<harness::Fault>& forms = space.bounds.budget[0].forms;
    for (std::size_t form = 0; form < forms.size(); ++form) {
      const harness::Fault& image = forms.at(symmetry.form(0, form, places));
      EXPECT_EQ(image.lasts, forms[form].lasts);
      const auto number = [](const harness::Fault& of) {
        return std::stoi(of.target.substr(of.target.find('-') + 1)) - 1;
      };
      if (forms[form].target.starts_with("client")) {
        EXPECT_EQ(number(image), places[static_cast<std::size_t>(number(forms[form]))]);
      } else {
        EXPECT_EQ(image.target, forms[form].target);
      }
    }
  }
}

/// Redlock's commands leave one after the other. While nothing can happen between two of them, it is the same which
/// server is down; once a client can die there, it is not, and states that differ in servers are not the same.
TEST(Symmetry, IsNotOfServersToWhichCommandsLeaveInOrder) {
  const auto states = [](const std::string& down, const char* crashes) {
    const Space space(
        "[workload]\nlease = \"10s\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n[servers]\nredis = 3\n"
        "[[fault]]\nkind = \"restart\"\ntarget = \"" +
            down +
            "\"\nat = \"0s\"\nfor = \"20s\"\n"
            "[explore]\nattempts = 2\nretry = \"T/2\"\nmax_faults = " +
            crashes + "\n[[explore.fault]]\nkind = \"crash\"\n",
        "redlock");
    return explore_stateful(space.scenario, space.bounds, {.reduce = false}).states;
  };
  EXPECT_EQ(states("redis-1", "0"), states("redis-3", "0"));
  EXPECT_NE(states("redis-1", "1"), states("redis-3", "1"));
}

}  // namespace
}  // namespace lockproof::sim::symmetry_test
