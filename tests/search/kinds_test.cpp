// SPDX-License-Identifier: Apache-2.0
// Sites of one kind: which are, and that the steps of one, renamed, are those that the other one would take itself.
#include "search/automata/kinds.hpp"

#include <deque>
#include <memory>

#include "search/automata/executed_host.hpp"
#include "search/automata/renamed_host.hpp"
#include "search/core/contention.hpp"
#include "search/core/exploration.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::kinds_test {
namespace {

/// A letter for each site: those of one kind have the same.
std::string kinds_of(const std::string& text, const std::string& algorithm = "set-px-token") {
  const harness::Scenario scenario = tests::scenario(text, algorithm);
  const harness::Bounds bounds = scenario.explore.value_or(harness::Bounds{});
  const Sites sites(scenario);
  const Kinds kinds(scenario, bounds, sites);
  std::string letters;
  for (std::size_t site = 0; site < sites.count(); ++site) {
    letters.push_back(static_cast<char>('a' + kinds.model_of(site)));
  }
  return letters;
}

const std::string three_clients = "[workload]\nclients = 3\n";
const std::string three_servers = "[workload]\nclients = 2\n[servers]\nredis = 3\n";

TEST(Kinds, AreThoseThatNothingTellsApart) {
  EXPECT_EQ(kinds_of(three_clients), "aaade");
  EXPECT_EQ(kinds_of(three_servers, "redlock"), "aacccf");
  EXPECT_EQ(kinds_of(three_clients + "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n"), "abade");
  EXPECT_EQ(kinds_of(three_servers + "[[server]]\nname = \"redis-1\"\nclock = \"+1s\"\n", "redlock"), "aacddf");
}

TEST(Kinds, AReplicaAndItsMasterAreNone) {
  EXPECT_EQ(kinds_of("[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"), "aacd");
}

TEST(Kinds, WhomAFaultOfTheScenarioNamesIsOneOfItsOwn) {
  EXPECT_EQ(kinds_of(three_clients + "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nat = \"1s\"\nfor = \"1s\"\n"),
            "abbde");
  EXPECT_EQ(kinds_of(three_clients +
                     "[[fault]]\nkind = \"pause\"\ntarget = \"redis-1\"\nwhen = \"client-3 enters\"\nfor = \"1s\"\n"),
            "aacde");
}

TEST(Kinds, TheBudgetMustDoTheSameToBoth) {
  const std::string pauses = three_clients +
                             "[explore]\nmax_faults = 1\n[[explore.fault]]\nkind = \"pause\"\nfor = "
                             "[\"1s\"]\ntarget = ";
  EXPECT_EQ(kinds_of(pauses + "\"clients\"\n"), "aaade");
  EXPECT_EQ(kinds_of(pauses + "\"client-2\"\n"), "abade");
}

struct Space {
  harness::Scenario scenario;
  harness::Bounds bounds;
  ModelFactory models{};
  SharedContext shared{.scenario = scenario, .bounds = bounds, .models = models, .live_hosts = 100};

  Space(const std::string& text, const std::string& algorithm)
      : scenario(tests::scenario(text, algorithm)), bounds(scenario.explore.value()) {
    scenario = as_written(bounded(scenario, bounds, false));
  }
};

/// Every site twice: as one that runs, and as the renamed one of its model. Both take the same way, drawn at random.
class Twice {
 public:
  explicit Twice(Space& space) : shared_(space.shared) {
    for (std::size_t site = 0; site < shared_.sites.count(); ++site) {
      runs_.push_back(std::make_unique<ExecutedHost>(shared_, site));
      const std::size_t model = shared_.kinds.model_of(site);
      if (model == site) renamed_.push_back(nullptr);
      if (model != site) renamed_.push_back(std::make_unique<RenamedHost>(shared_, *runs_[model], site));
    }
  }

  /// Returns how many steps of sites that are not the first of their kind were compared.
  int walk(std::uint64_t seed, int steps) {
    RandomBits bits(seed);
    std::vector<State> states(shared_.sites.count());
    under_way_.clear();
    budget_ = Budgets::nothing;
    compared_ = 0;
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      if (!under_way_.empty() && bits.below(2) == 0) {
        deliver(states, bits);
      } else if (!own_event(states, bits)) {
        return compared_;
      }
    }
    return compared_;
  }

 private:
  struct State {
    Id runs = 0, renamed = 0;
  };
  struct UnderWay {
    std::size_t to;
    int from, slot, distance;
    Id letter;
  };

  bool own_event(std::vector<State>& states, RandomBits& bits) {
    Duration due = IsolatedHost::never;
    for (std::size_t site = 0; site < states.size(); ++site) {
      due = std::min(due, runs_[site]->summary(states[site].runs).due);
    }
    if (due >= IsolatedHost::never) return false;
    for (std::size_t site = 0; due > Duration{} && site < states.size(); ++site) {
      states[site].runs = runs_[site]->aged(states[site].runs, due);
      if (renamed_[site]) states[site].renamed = renamed_[site]->aged(states[site].renamed, due);
    }
    std::vector<std::size_t> ready;
    for (std::size_t site = 0; site < states.size(); ++site) {
      if (runs_[site]->summary(states[site].runs).due == Duration{}) ready.push_back(site);
    }
    const std::size_t site = ready[bits.below(ready.size())];
    const auto locals = static_cast<std::uint64_t>(runs_[site]->summary(states[site].runs).locals);
    take(site, states[site], {.kind = Input::Kind::local, .n = static_cast<int>(bits.below(locals))}, 0, bits);
    return true;
  }

  void deliver(std::vector<State>& states, RandomBits& bits) {
    const UnderWay one = under_way_.front();
    under_way_.pop_front();
    const bool of_client = shared_.sites.is_client(one.to);
    InputKey input{.kind = Input::Kind::letter, .peer = one.from, .slot = one.slot, .distance = one.distance};
    input.n = 0;
    if (of_client && one.slot > 0) return;  // news is lost here, so that no connection need be followed
    take(one.to, states[one.to], input, one.letter, bits);
  }

  void take(std::size_t site, State& state, const InputKey& input, Id letter, RandomBits& bits) {
    Input whole{.kind = input.kind, .n = input.n, .peer = input.peer, .slot = input.slot, .distance = input.distance};
    const Id rest = shared_.budgets.rest(budget_);
    whole.budget = shared_.budgets.at(rest);
    if (input.kind == Input::Kind::letter) whole.letter = shared_.letters.at(letter);
    const std::vector<Outcome>& outcomes =
        runs_[site]->step(state.runs, Host::key(state.runs, input, letter, rest), whole);
    const std::size_t chosen = bits.below(outcomes.size());
    if (renamed_[site]) {
      const std::vector<Outcome>& others =
          renamed_[site]->step(state.renamed, Host::key(state.renamed, input, letter, rest), whole);
      ASSERT_EQ(outcomes.size(), others.size());
      for (std::size_t i = 0; i < outcomes.size(); ++i) expect_same(site, outcomes[i], others[i]);
      state.renamed = others[chosen].state;
      ++compared_;
    }
    const Outcome& outcome = outcomes[chosen];
    state.runs = outcome.state;
    budget_ = shared_.budgets.after(budget_, outcome.used);
    follow(site, outcome);
  }

  /// Lists, messages and what is used of the budget are numbers that all hosts share, so equal ones have equal numbers.
  void expect_same(std::size_t site, const Outcome& one, const Outcome& other) {
    EXPECT_EQ(one.used, other.used);
    EXPECT_EQ(one.events, other.events);
    EXPECT_EQ(one.answers, other.answers);
    EXPECT_EQ(one.struck, other.struck);
    EXPECT_EQ(one.asks, other.asks);
    EXPECT_EQ(one.sent, other.sent);
    EXPECT_EQ(one.resets, other.resets);
    ASSERT_EQ(one.posted.size(), other.posted.size());
    for (std::size_t i = 0; i < one.posted.size(); ++i) {
      EXPECT_EQ(one.posted[i].number, other.posted[i].number);
      EXPECT_EQ(one.posted[i].peer, other.posted[i].peer);
      EXPECT_EQ(one.posted[i].server, other.posted[i].server);
    }
    ASSERT_EQ(one.severed.size(), other.severed.size());
    for (std::size_t i = 0; i < one.severed.size(); ++i) {
      EXPECT_EQ(one.severed[i].client, other.severed[i].client);
      EXPECT_EQ(one.severed[i].server, other.severed[i].server);
    }
    const Traits &runs = runs_[site]->traits(one.state), &renamed = renamed_[site]->traits(other.state);
    EXPECT_EQ(runs.names, renamed.names);
    EXPECT_EQ(runs.due, renamed.due);
    EXPECT_EQ(runs.inside, renamed.inside);
    EXPECT_EQ(runs.entitled, renamed.entitled);
    EXPECT_EQ(runs.over, renamed.over);
    EXPECT_EQ(runs.held, renamed.held);
    const Host::Summary &a = runs_[site]->summary(one.state), &b = renamed_[site]->summary(other.state);
    EXPECT_EQ(a.tokens, b.tokens);
    EXPECT_EQ(a.locals, b.locals);
    if (shared_.sites.is_client(site)) {
      EXPECT_EQ(a.shape, b.shape);
    }
  }

  /// A connection that ends takes along what is under way on it.
  void follow(std::size_t site, const Outcome& outcome) {
    const bool of_client = shared_.sites.is_client(site);
    const auto forget = [&](int client, int server) {
      std::erase_if(under_way_, [&](const UnderWay& one) {
        const bool to_client = one.to == static_cast<std::size_t>(client) && one.from == server;
        return to_client || (one.to == shared_.sites.of_server(server) && one.from == client);
      });
    };
    const auto self = static_cast<int>(site);
    for (const ClosedConnections& closed : outcome.closed) forget(self, closed.peer);
    for (const Reset& reset : outcome.resets) forget(reset.client, reset.server);
    for (std::size_t server = 0; server < outcome.sent.size(); ++server) {
      for (UnderWay& one : under_way_) {
        const bool request = one.to == shared_.sites.of_server(static_cast<int>(server)) && one.from == self;
        const bool reply = one.to == site && one.from == static_cast<int>(server);
        if ((request || reply) && one.distance >= 0) one.distance += outcome.sent[server];
      }
    }
    for (const PostedMessage& posted : outcome.posted) {
      const std::size_t to = of_client ? shared_.sites.of_server(posted.peer) : static_cast<std::size_t>(posted.peer);
      under_way_.push_back(
          {to, of_client ? self : posted.server, posted.slot, posted.flight.distance, posted.flight.letter});
    }
  }

  SharedContext& shared_;
  std::vector<std::unique_ptr<ExecutedHost>> runs_;
  std::vector<std::unique_ptr<RenamedHost>> renamed_;
  std::deque<UnderWay> under_way_;
  Id budget_ = 0;
  int compared_ = 0;
};

struct Case {
  const char* algorithm;
  const char* servers;
  const char* clients;
};

class OfOneKind : public testing::TestWithParam<Case> {};

TEST_P(OfOneKind, TheStepsOfOneAreThoseOfTheOtherRenamed) {
  const std::string budget = R"(
[explore]
max_faults = 2
[[explore.fault]]
kind = "pause"
for = ["500ms"]
[[explore.fault]]
kind = "crash"
[[explore.fault]]
kind = "half-open"
[[explore.fault]]
kind = "clock-jump"
by = ["1s", "-1s"]
[[explore.fault]]
kind = "restart"
for = ["600ms"]
)";
  const std::string loop = "\n[workload]\nlease = \"2s\"\nrounds = 2\nattempts = 3\nclients = ";
  Space space(GetParam().servers + loop + GetParam().clients + budget, GetParam().algorithm);
  Twice twice(space);
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    compared += twice.walk(seed, 120);
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 400);
}

INSTANTIATE_TEST_SUITE_P(Locks, OfOneKind,
                         testing::Values(Case{"set-px-token", "", "3"}, Case{"redlock", "[servers]\nredis = 3", "2"},
                                         Case{"redisson", "", "2"}, Case{"set-px-thread-id", "", "2"},
                                         Case{"fenced-token", "", "3"},
                                         Case{"memcached-add-cas", "[servers]\nmemcached = 1", "2"}),
                         [](const auto& one) { return tests::as_test_name(one.param.algorithm); });

}  // namespace
}  // namespace lockproof::sim::kinds_test
