// SPDX-License-Identifier: Apache-2.0
// The alarm for an encoding that leaves something out. Such a search still finds bugs, so verdicts do not tell; but it
// goes on from one of several states that it takes for one, and from which, depends on the order of the search. So
// depth first and breadth first count differently. Here encodings are cut by the test itself.
#include <deque>
#include <functional>
#include <set>

#include "search/core/contention.hpp"
#include "search/core/walk.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::unsound_encoding_test {
namespace {

struct Count {
  std::size_t states = 0, transitions = 0, ended = 0;
  std::set<std::pair<std::string, std::string>> broken{};
  bool operator==(const Count&) const = default;
};

using Cut = std::function<std::string(Walk&)>;

/// A search of its own, as short as can be.
class Search {
 public:
  Search(const harness::Scenario& scenario, Cut cut, bool depth_first)
      : bounds_(*scenario.explore), scenario_(as_written(bounded(scenario, bounds_, false))), cut_(std::move(cut)),
        depth_first_(depth_first) {}

  Count run() {
    expand({}, 0);
    while (!left_.empty()) {
      const auto [path, depth] = depth_first_ ? left_.back() : left_.front();
      depth_first_ ? left_.pop_back() : left_.pop_front();
      expand(path, depth);
    }
    count_.states = visited_.size();
    return count_;
  }

 private:
  /// All that one more step may lead to; the first step makes the world.
  void expand(const Choices& path, int depth) {
    PathChooser chooser(path);
    do {
      chooser.rewind();
      Walk walk(scenario_, bounds_, models_, chooser);
      bool alive = true;
      for (int i = 0; i < depth; ++i) alive = walk.step();
      if (!alive) {
        ++count_.ended;
        continue;
      }
      count_.transitions += depth > 0;
      count_.broken.insert(walk.shown().broken.begin(), walk.shown().broken.end());
      if (visited_.insert(cut_(walk)).second) left_.emplace_back(chooser.path(), depth + 1);
    } while (chooser.advance(path.size()));
  }

  const harness::Bounds bounds_;
  const harness::Scenario scenario_;
  const Cut cut_;
  const bool depth_first_;
  ModelFactory models_;
  std::set<std::string> visited_;
  std::deque<std::pair<Choices, int>> left_;
  Count count_;
};

harness::Scenario scenario() {
  return tests::scenario(R"(
[workload]
lease = "2s"
work = ["read", "hold 1s", "write"]
[explore]
attempts = 3
retry = "T/2"
max_faults = 2
[[explore.fault]]
kind = "pause"
target = "clients"
for = "T"
[[explore.fault]]
kind = "half-open"
)");
}

Count deep(const Cut& cut) { return Search(scenario(), cut, true).run(); }
Count broad(const Cut& cut) { return Search(scenario(), cut, false).run(); }

std::string whole(Walk& walk) { return walk.encoding(ClockDetail::offsets); }
std::string without_monitors(Walk& walk) { return walk.world().encoding(ClockDetail::offsets); }
/// Without the n-th of eight parts of the world's bytes; the monitors are left.
Cut without_part(std::size_t n) {
  return [n](Walk& walk) {
    const std::string all = walk.encoding(ClockDetail::offsets);
    const std::size_t world = walk.world().encoding(ClockDetail::offsets).size();
    return all.substr(0, world * n / 8) + "|" + all.substr(world * (n + 1) / 8);
  };
}
TEST(UnsoundEncoding, AWholeOneCountsTheSameInAnyOrderAndInTheEngine) {
  const Count count = broad(whole);
  EXPECT_EQ(deep(whole), count);
  const harness::Bounds bounds = *scenario().explore;
  const Exploration found =
      explore_by_reexecution(as_written(bounded(scenario(), bounds, false)), bounds, {.reduce = false});
  EXPECT_EQ(found.states, count.states);
  EXPECT_EQ(found.transitions, count.transitions);
  EXPECT_EQ(found.terminal, count.ended);
  EXPECT_EQ(found.broken.size(), count.broken.size());
}

/// The first parts are the clients and what they have seen since they rested; then come connections, servers, plans and
/// the budget.
TEST(UnsoundEncoding, IsToldByItsCountsAndNotByItsVerdicts) {
  const Count sound = broad(whole);
  EXPECT_FALSE(sound.broken.empty());
  int told = 0, same_verdicts = 0;
  for (std::size_t n = 0; n < 8; ++n) {
    const Count one = deep(without_part(n)), other = broad(without_part(n));
    told += std::pair(one.states, one.transitions) != std::pair(other.states, other.transitions);
    same_verdicts += one.broken == sound.broken && other.broken == sound.broken;
  }
  RecordProperty("notified", told);
  EXPECT_GE(told, 7);  // all eight, when this was written
  EXPECT_GE(same_verdicts, 7);
}

/// The order of the search does not tell everything: what a monitor remembers changes no event. Two engines do.
TEST(UnsoundEncoding, WithoutTheMonitorsIsToldByAnotherEngineOnly) {
  const Count cut = broad(without_monitors);
  EXPECT_EQ(deep(without_monitors), cut);
  EXPECT_LT(cut.states, broad(whole).states);
}

}  // namespace
}  // namespace lockproof::sim::unsound_encoding_test
