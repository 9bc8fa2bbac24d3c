// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/interned_engine.hpp"

#include <algorithm>
#include <optional>

#include "sim/explore/guide.hpp"
#include "sim/explore/packed_set.hpp"
#include "sim/explore/probe.hpp"
#include "sim/explore/successors.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;
constexpr std::uint64_t look = 64;  // states between two looks at the limits; one may take milliseconds
constexpr int few_probes = 8, many_probes = 100;

class Engine final : private Successors::Sink {
 public:
  Engine(const harness::Scenario& scenario, const harness::Bounds& budget, const Limits& limits, bool offsets)
      : scenario_(scenario), budget_(budget), limits_(limits),
        product_(scenario, budget, scripts_, offsets, limits.reduce), states_(product_.columns()) {
    result_.offsets = offsets;
    result_.judged.insert(product_.judged().begin(), product_.judged().end());
  }

  /// Nothing: some lock reads wall clocks, so states must tell apart how far they differ.
  std::optional<Exploration> run() {
    for (const Product::Tuple& tuple : product_.initial()) add(tuple, nobody, 0);
    while (!frontier_.empty() && result_.stopped.empty()) {
      place_ = frontier_.begin()->first;
      const std::vector<std::uint32_t> level = std::move(frontier_.begin()->second);
      frontier_.erase(frontier_.begin());
      result_.depth = std::max(result_.depth, place_.second);
      for (const std::uint32_t state : level) {
        expand(state);
        if (!result_.stopped.empty()) break;
        if (product_.wall_was_read() && !result_.offsets) return std::nullopt;
        if (++expanded_ % look == 0 && !within_limits()) break;
      }
    }
    result_.complete = result_.stopped.empty();
    result_.states = states_.size();
    result_.bytes = states_.bytes();
    result_.struck = product_.struck();
    if (!result_.complete) {
      result_.reached = {place_.first, place_.second};
      result_.probed = probe(many_probes);
    }
    for (auto& [way, found] : found_) result_.broken.emplace(way, broken(found));
    return std::move(result_);
  }

 private:
  struct Found {
    std::uint32_t parent;
    Leg leg;
    int faults, depth;
  };

  void add(const Product::Tuple& tuple, std::uint32_t parent, int depth) {
    const auto [state, is_new] = states_.add(tuple, parent);
    if (is_new) frontier_[{product_.faults_used(tuple), depth}].push_back(state);
  }

  void expand(std::uint32_t state) {
    states_.unpack(state, tuple_);
    expanding_ = state;
    const bool more = successors_.each(tuple_, *this);
    result_.terminal += !more;
  }

  void see(const Successors::Next& next) override {
    const int depth = place_.second + 1;
    ++result_.transitions;
    result_.acquired |= next.entered;
    result_.contended |= next.contended;
    for (const auto& way : next.broken) note(way, next, depth);
    if (!next.exclusion.empty()) note({"mutual-exclusion", std::string(next.exclusion)}, next, depth);
    add(next.tuple, expanding_, depth);
  }

  void note(const Way& way, const Successors::Next& next, int depth) {
    const int faults = product_.faults_used(next.tuple);
    const auto known = found_.find(way);
    if (known != found_.end() && std::pair(known->second.faults, known->second.depth) <= std::pair(faults, depth))
      return;
    Found found{expanding_, {next.move, *next.move.choices}, faults, depth};
    found.leg.move.choices = nullptr;
    found_.insert_or_assign(way, std::move(found));
    if (!ways_.insert(way).second || !limits_.enough || !limits_.enough(ways_)) return;
    if (result_.stopped.empty()) result_.stopped = "enough was found";
  }

  /// The moves from the start, found again by looking which one of a state's leads to the next.
  Broken broken(const Found& found) {
    std::vector<std::uint32_t> path{found.parent};
    while (states_.parent(path.back()) != nobody) path.push_back(states_.parent(path.back()));
    std::reverse(path.begin(), path.end());
    std::vector<Leg> legs;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) legs.push_back(leg(path[i], path[i + 1]));
    legs.push_back(found.leg);
    Product::Tuple first;
    states_.unpack(path.front(), first);
    return {choices_of(scenario_, budget_, product_.start_of(first), legs), false, found.faults, found.depth};
  }

  Leg leg(std::uint32_t from, std::uint32_t to) {
    struct Finder final : Successors::Sink {
      Product::Tuple wanted;
      std::optional<Leg> leg;
      void see(const Successors::Next& next) override {
        if (!leg && next.tuple == wanted) leg = Leg{next.move, *next.move.choices};
      }
    } finder;
    states_.unpack(from, tuple_);
    states_.unpack(to, finder.wanted);
    successors_.each(tuple_, finder);
    finder.leg.value().move.choices = nullptr;
    return *std::move(finder.leg);
  }

  std::optional<Probed> probe(int schedules) {
    struct Drawn final : Successors::Sink {
      RandomBits& bits;
      Product::Tuple tuple{};
      std::uint64_t shown = 0;
      explicit Drawn(RandomBits& from) : bits(from) {}
      void see(const Successors::Next& next) override {
        if (bits.below(++shown) == 0) tuple = next.tuple;
      }
    };
    return sim::probe(schedules, [this](const auto& met) {
      const std::vector<Product::Tuple> initial = product_.initial();
      Drawn drawn(probes_);
      Product::Tuple at = initial[probes_.below(initial.size())];
      while (met(states_.contains(at)) && successors_.each(at, drawn)) {
        drawn.shown = 0;
        at = drawn.tuple;
      }
    });
  }

  bool within_limits() {
    if (states_.bytes() > limits_.bytes) result_.stopped = "the memory limit was reached";
    std::uint64_t waiting = 0;
    for (const auto& [place, states] : frontier_) waiting += states.size();
    const Progress progress{
        states_.size(), result_.transitions, waiting, states_.bytes(), place_.first, place_.second, [this] {
          return probe(few_probes);
        }};
    if (limits_.go_on && !limits_.go_on(progress)) result_.stopped = "it was stopped";
    return result_.stopped.empty();
  }

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  const Limits& limits_;
  redis::ScriptEngine scripts_;
  Product product_;
  Successors successors_{product_, true};
  PackedSet states_;
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> frontier_;  // by faults and depth
  std::pair<int, int> place_{};
  std::uint32_t expanding_ = 0;
  std::uint64_t expanded_ = 0;
  std::map<Way, Found> found_;
  std::set<Way> ways_;  // that are found
  Product::Tuple tuple_;
  RandomBits probes_{1};
  Exploration result_;
};

}  // namespace

std::string interned_engine_refuses(const harness::Scenario& scenario, const harness::Bounds& budget) {
  if (scenario.progress || scenario.notice) return "a bound on progress or notice";  // watchers know no server's clock
  return Product::refusal(scenario, budget);
}

Exploration explore_interned(const harness::Scenario& scenario, const harness::Bounds& budget, const Limits& limits) {
  if (auto found = Engine(scenario, budget, limits, false).run()) return *std::move(found);
  return *Engine(scenario, budget, limits, true).run();
}

}  // namespace lockproof::sim
