// SPDX-License-Identifier: Apache-2.0
// A lock that waits for replicas, with two of them, and every schedule of a stall and a failover: one that has
// acknowledged it is not enough, since the other one may be promoted, and then tells the new master of the next lock.
#include <algorithm>
#include <map>
#include <set>

#include "harness/input_error.hpp"
#include "harness/scenario/names.hpp"
#include "search/core/contention.hpp"
#include "search/core/walk.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::replicas_test {
namespace {

const std::string loop = R"(
[workload]
lease = "60s"
attempts = 2
retry = "5s"
work = ["hold 10s"]
)";
const std::string servers = loop + R"(
[servers]
redis = 3
[[server]]
name = "redis-2"
replica_of = "redis-1"
[[server]]
name = "redis-3"
replica_of = "redis-1"
)";
const std::string budget = R"(
[explore]
max_faults = 2
[[explore.fault]]
kind = "replication-stall"
target = "redis-2"
for = ["30s"]
[[explore.fault]]
kind = "failover"
)";

Exploration explored(const std::string& parameters, const std::string& faults, Limits limits = {}) {
  harness::Scenario scenario = tests::scenario(parameters + servers + faults, "set-px-token-wait");
  const harness::Bounds bounds = scenario.explore.value();
  scenario = as_written(bounded(scenario, bounds, false));
  return explore_by_reexecution(scenario, bounds, limits);
}

TEST(TwoReplicas, OneThatHasAcknowledgedTheLockIsNotEnough) {
  const Exploration found = explored("wait = \"1s\"\n", budget);
  ASSERT_TRUE(found.complete);
  const auto broken = found.broken.find(ViolationKind("mutual-exclusion", "double-grant"));
  ASSERT_NE(broken, found.broken.end());
  EXPECT_EQ(broken->second.faults, 2);
}

TEST(TwoReplicas, BothThatHaveAcknowledgedTheLockAre) {
  const Exploration found = explored("wait = \"1s\"\nreplicas = 2\n", budget);
  ASSERT_TRUE(found.complete);
  EXPECT_FALSE(found.broken.contains(ViolationKind("mutual-exclusion", "double-grant")));
  EXPECT_FALSE(found.broken.contains(ViolationKind("mutual-exclusion", "outlived")));
}

TEST(TwoReplicas, WhoWasPromotedMayBeReplacedByTheOther) {
  const harness::Scenario scenario = tests::scenario(servers + budget);
  std::set<std::string> promotions;
  for (const harness::Fault& form : scenario.explore->budget.back().forms) {
    promotions.insert(form.target + " to " + form.peer);
  }
  EXPECT_EQ(promotions, (std::set<std::string>{"redis-1 to redis-2", "redis-1 to redis-3", "redis-2 to redis-3",
                                               "redis-3 to redis-2"}));
  EXPECT_NO_THROW((void)tests::scenario(
      servers + "[[fault]]\nkind = \"failover\"\ntarget = \"redis-2\"\nto = \"redis-3\"\nat = \"1s\"\n"));
  EXPECT_THROW((void)tests::scenario(
                   servers + "[[fault]]\nkind = \"failover\"\ntarget = \"redis-2\"\nto = \"redis-1\"\nat = \"1s\"\n"),
               harness::InputError);
}

TEST(TwoReplicas, DepthFirstAndBreadthFirstSeeTheSame) {
  const Exploration broad = explored("wait = \"1s\"\n", budget);
  const Exploration deep = explored("wait = \"1s\"\n", budget, {.depth_first = true});
  EXPECT_EQ(broad.states, deep.states);
  EXPECT_EQ(broad.transitions, deep.transitions);
}

/// What can come next behind a schedule: the encoding, and how one gets there. Nothing: it has ended.
using Successor = std::vector<std::pair<std::string, Choices>>;

Successor next(const harness::Scenario& scenario, ModelFactory& models, const Choices& path, int events) {
  Successor all;
  PathChooser chooser(path);
  do {
    chooser.rewind();
    Walk walk(scenario, *scenario.explore, models, chooser);
    bool alive = true;
    for (int i = 0; i < events; ++i) alive = walk.step();
    if (alive) all.emplace_back(walk.encoding(ClockDetail::relative), chooser.path());
  } while (chooser.advance(path.size()));
  return all;
}

std::set<std::string> encodings(const Successor& all) {
  std::set<std::string> only;
  for (const auto& [encoding, path] : all) only.insert(encoding);
  return only;
}

/// Follows a schedule, and draws what comes behind its end.
class Drawn final : public Chooser {
 public:
  Drawn(const Choices& path, std::uint64_t seed) : path_(path), bits_(seed) {}

  /// Draws by name: equal states may list their events in different orders.
  std::size_t first_of(std::size_t count, const NameOf& name) override {
    if (made_ < path_.size()) return choose(count);
    std::vector<std::pair<std::string, std::size_t>> named;
    for (std::size_t i = 0; i < count; ++i) {
      harness::EventName event = name(i);
      event.occurrence = event.round = 1;
      named.emplace_back(harness::to_text(event), i);
    }
    std::ranges::sort(named);
    ambiguous_ |= std::ranges::adjacent_find(named, {}, &std::pair<std::string, std::size_t>::first) != named.end();
    return named[choose(count)].second;
  }
  std::size_t strike(std::size_t count) override { return choose(count + 1); }
  Duration duration(const harness::Window& window, Duration grid, const NameOf&) override {
    const auto steps = static_cast<std::size_t>((window.most - window.least) / grid);
    return window.least + grid * static_cast<std::int64_t>(choose(steps + 1));
  }
  /// Whether events of one name were due at once.
  [[nodiscard]] bool ambiguous() const { return ambiguous_; }

 private:
  std::size_t choose(std::size_t count) {
    if (count == 1) return 0;
    return made_ < path_.size() ? path_[made_++] : bits_.below(count);
  }

  const Choices& path_;
  std::size_t made_ = 0;
  bool ambiguous_ = false;
  RandomBits bits_;
};

/// A schedule, and how many of its events have happened.
using SearchDepth = std::pair<Choices, int>;

/// Whether both go on alike for some events, whatever is drawn.
void expect_same_future(const harness::Scenario& scenario, ModelFactory& models, const SearchDepth& one,
                        const SearchDepth& other, std::uint64_t seed) {
  Drawn first(one.first, seed), second(other.first, seed);
  Walk walk(scenario, *scenario.explore, models, first), twin(scenario, *scenario.explore, models, second);
  for (int i = 0; i < one.second; ++i) walk.step();
  for (int i = 0; i < other.second; ++i) twin.step();
  for (int i = 0; i < 100; ++i) {
    const bool goes_on = walk.step();
    ASSERT_EQ(twin.step(), goes_on);
    if (!goes_on || first.ambiguous()) return;
    ASSERT_EQ(walk.encoding(ClockDetail::relative), twin.encoding(ClockDetail::relative)) << i << " events later";
  }
}

struct Case {
  const char *name, *budget;  // none: the one above
  bool again = false;         // each client wants the lock twice
};
class WithFaults : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(TwoReplicas, WithFaults,
                         testing::Values(Case{"a_stall_and_a_failover", ""}, Case{"two_failovers", R"(
[[explore.fault]]
kind = "failover"
most = 2
)"},
                                         Case{"a_restart", R"(
[[explore.fault]]
kind = "restart"
for = ["1s"]
)"},
                                         Case{"a_pause", R"(
[[explore.fault]]
kind = "pause"
target = "servers"
for = ["1s"]
)"},
                                         Case{"a_clock_jump", R"(
[[explore.fault]]
kind = "clock-jump"
target = "servers"
by = ["2s", "-2s"]
)",
                                              true}),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// Two states that the encoding takes for one, and that go on differently, show here, and not in a search.
TEST_P(WithFaults, EqualStatesHaveEqualFutures) {
  const std::string faults =
      *GetParam().budget ? "[explore]\nmax_faults = 2\n" + std::string(GetParam().budget) : budget;
  const std::string rounds = GetParam().again ? loop + "rounds = 2\n" + servers.substr(loop.size()) : servers;
  harness::Scenario scenario = tests::scenario("wait = \"1s\"\n" + rounds + faults, "set-px-token-wait");
  scenario = as_written(bounded(scenario, *scenario.explore, false));
  ModelFactory models;
  std::vector<SearchDepth> seen;
  std::map<std::string, std::size_t> numbers;
  for (const auto& [encoding, path] : next(scenario, models, {}, 0)) {
    if (numbers.emplace(encoding, seen.size()).second) seen.emplace_back(path, 0);
  }
  std::size_t again = 0;
  for (std::size_t i = 0; i < seen.size() && i < 10'000; ++i) {
    const auto [path, events] = seen[i];
    for (const auto& [encoding, longer] : next(scenario, models, path, events + 1)) {
      const auto [known, is_new] = numbers.emplace(encoding, seen.size());
      if (is_new) {
        seen.emplace_back(longer, events + 1);
        continue;
      }
      ++again;
      const auto& [other, others] = seen[known->second];
      ASSERT_EQ(encodings(next(scenario, models, longer, events + 2)),
                encodings(next(scenario, models, other, others + 1)));
      expect_same_future(scenario, models, {longer, events + 1}, {other, others}, again);
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(again, 100U);
}

}  // namespace
}  // namespace lockproof::sim::replicas_test
