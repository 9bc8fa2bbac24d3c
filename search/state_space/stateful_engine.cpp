// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/stateful_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "search/automata/unrepresentable.hpp"
#include "search/core/contention.hpp"
#include "search/core/probe.hpp"
#include "search/liveness/probe_client.hpp"
#include "search/state_space/batch.hpp"
#include "search/state_space/path_recorder.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {
namespace {

// States that are expanded between two looks at the limits: few at first, when one may take milliseconds.
constexpr std::uint64_t fewest_at_once = 64, most_at_once = 4096;
constexpr int few_probes = 4, many_probes = 32;

class Engine final {
 public:
  Engine(const harness::Scenario& scenario, const harness::Bounds& budget, const Limits& limits, ClockDetail detail,
         const Recheck& recheck)
      : scenario_(scenario), budget_(budget), limits_(limits),
        product_(scenario, budget, models_, detail, {limits.reduce, limits.exchange}, limits.live_hosts),
        states_(product_.columns()),
        batch_(product_, states_, std::max(1u, limits.workers), limits.by_faults, recheck.each_state) {
    product_.plant(recheck.planted);
    product_.stop_at(limits.stop);
    product_.stop_after_paths(limits.paths);
    result_.detail = detail;
    result_.exchanged = product_.is_symmetric();
    result_.judged.insert(product_.judged().begin(), product_.judged().end());
  }

  [[nodiscard]] ClockDetail clocks_read() const { return product_.clocks_read(); }
  /// Nothing: more of the clocks was read than states tell apart.
  std::optional<Exploration> run(CheckpointIn* from = nullptr) {
    if (!begin(from)) return stopped_before_it_began();
    while (!frontier_.empty() && result_.stopped.empty()) {
      place_ = frontier_.begin()->first;
      const std::vector<std::uint32_t> level = std::move(frontier_.begin()->second);
      frontier_.erase(frontier_.begin());
      result_.depth = std::max(result_.depth, place_.second);
      for (std::size_t first = 0; first < level.size() && result_.stopped.empty();) {
        const std::uint64_t many = std::clamp(expanded_ / 8, fewest_at_once, most_at_once);
        const std::size_t count = std::min<std::size_t>(level.size() - first, many);
        const std::optional<std::size_t> done = expand(std::span(level).subspan(first, count));
        if (!done) return std::nullopt;
        first += *done;
        expanded_ += *done;
        if (result_.stopped.empty()) look_at_limits(*done < count);
        if (!result_.stopped.empty() && first < level.size()) {
          frontier_[place_].assign(level.begin() + static_cast<std::ptrdiff_t>(first), level.end());
        }
      }
    }
    const bool estimates = limits_.estimate && !product_.has_run_all_paths();
    product_.stop_after_paths(UINT64_MAX);
    if (result_.stopped.empty() && result_.given_up > 0) result_.stopped = at_a_difference;
    if (result_.stopped.empty() && result_.at_horizon > 0) result_.stopped = at_the_horizon;
    result_.complete = result_.stopped.empty();
    result_.states = states_.size();
    result_.bytes = bytes();
    result_.struck = product_.struck();
    result_.of_budget = product_.of_budget();
    result_.outcomes = product_.outcomes();
    result_.rounds = product_.rounds();
    if (!result_.rounds.fenced) result_.judged.erase("fencing-order");
    if (!result_.complete) {
      if (!result_.reached_ends()) result_.reached = {place_.first, place_.second};
      product_.stop_at(limits_.stop_telling);
      if (estimates) result_.probed = probe(many_probes);
      const auto everything = [this](CheckpointOut& out) { write(out); };
      if (by_limit_) save(limits_, everything, result_);
    }
    product_.stop_at({});
    tell_broken();
    if (result_.complete && !scenario_.progress && limits_.probe_clients) send_probe_clients();
    return std::move(result_);
  }

 private:
  /// The initial states, or those of the checkpoint. False: it was stopped.
  bool begin(CheckpointIn* from) {
    try {
      for (const Product::Tuple& one : product_.initial()) {
        const Product::Tuple tuple = batch_.stand_in(one);
        if (from) continue;
        states_.make_room(tuple);
        const auto [state, is_new] = states_.add(tuple.data(), Batch::nobody);
        if (is_new) frontier_[{product_.faults_used(tuple.data()), 0}].push_back(state);
      }
      if (from) restore(*from);
    } catch (const Cancellation&) {
      return false;
    }
    return true;
  }

  /// Returns how many were expanded, in order from the first: all, unless it was stopped. Nothing: as run().
  std::optional<std::size_t> expand(std::span<const std::uint32_t> states) {
    const int depth = place_.second + 1;
    std::size_t done = 0;
    try {
      done = batch_.expand(states, depth, found_);
    } catch (const UnrepresentableState& why) {
      result_.stopped = result_.unrepresentable = why.what();
      return 0;
    }
    if (product_.clocks_read() > result_.detail) return std::nullopt;
    std::size_t count = 0;
    while (count < done && result_.stopped.empty()) {
      const ExpandedState& one = batch_.expanded()[count];
      if (one.terminal || one.quiet) resting_[place_].push_back(states[count]);
      ++count;
      result_.transitions += one.to - one.from;
      result_.terminal += one.terminal;
      result_.unanswered += one.terminal && one.why == EndReason::unanswered;
      result_.at_horizon += one.terminal && one.why == EndReason::horizon;
      result_.given_up += one.terminal && one.why == EndReason::given_up;
      result_.acquired |= one.acquired;
      result_.contended |= one.contended;
      for (const ViolationRecord& note : batch_.notes(one)) see(note);
    }
    std::vector<std::vector<std::uint32_t>*> levels;  // by faults
    batch_.add(count, [&](std::uint32_t state, int faults) {
      const auto of = static_cast<std::size_t>(faults);
      if (levels.size() <= of) levels.resize(of + 1);
      if (levels[of] == nullptr) levels[of] = &frontier_[{faults, depth}];
      levels[of]->push_back(state);
    });
    return done;
  }

  void send_probe_clients() {
    const auto path_to = [this](std::uint32_t state) { return choices_to(state); };
    try {
      product_.stop_at(limits_.stop);
      const QuiescentStates quiet = quiescent_states();
      product_.stop_at({});
      sim::send_probe_clients(scenario_, budget_, quiet, path_to, {false, limits_.by_faults, limits_.stop}, result_);
    } catch (const Cancellation&) {
      product_.stop_at({});
      result_.probes_stopped = "it was stopped";
      save(
          limits_, [this](CheckpointOut& out) { write(out); }, result_);
    }
  }

  Exploration stopped_before_it_began() {
    result_.stopped = "it was stopped";
    result_.not_saved = "it was stopped before it could begin; a checkpoint that it read stays as it is";
    return std::move(result_);
  }

  void see(const ViolationRecord& note) {
    const auto known = found_.find(note.find);
    const auto place = [](const ViolationPlace& found) { return std::pair(found.faults, found.depth); };
    if (known != found_.end() && place(known->second) <= place(note.found)) return;
    found_.insert_or_assign(note.find, note.found);
    if (!ways_.insert(note.find.way).second || !limits_.enough || !limits_.enough(ways_)) return;
    if (result_.stopped.empty()) result_.stopped = "enough was found";
  }

  void tell_broken() {
    std::vector<const ViolationPlaces::value_type*> finds;
    for (const auto& one : found_) finds.push_back(&one);
    const auto place = [](const auto* one) { return std::pair(one->second.faults, one->second.depth); };
    std::ranges::stable_sort(finds, {}, place);
    for (const auto* one : finds) {
      const auto& [find, found] = *one;
      const std::vector<int> counts = product_.counts(find.budget);
      if (limits_.by_faults && are_enough(result_, find.way, counts)) continue;
      const ShortestViolation shown = broken(find, found);
      result_.broken.emplace(find.way, shown);
      if (limits_.by_faults) result_.by_faults.emplace(std::pair(find.way, counts), shown);
    }
  }

  ShortestViolation broken(const ViolationKey& find, const ViolationPlace& found) {
    const auto breaks = [&](const Successors::Successor& next) {
      if (product_.faults_used(next.tuple.data()) != found.faults) return false;
      if (limits_.by_faults && product_.budget_of(next.tuple) != find.budget) return false;
      if (find.way.first == "mutual-exclusion") return next.exclusion == find.way.second;
      return std::ranges::find(next.broken, find.way) != next.broken.end();
    };
    return {choices_to(found.parent, found.at_end ? Wanted() : breaks), false, found.faults, found.depth, {}};
  }

  using Wanted = std::function<bool(const Successors::Successor&)>;

  /// The moves from the start, found again by looking which one leads to the next state. A state may represent several:
  /// the moves then connect states that follow one another. `last`: one more, at the end.
  Choices choices_to(std::uint32_t state, const Wanted& last = {}) {
    std::vector<std::uint32_t> path{state};
    while (states_.parent(path.back()) != Batch::nobody) path.push_back(states_.parent(path.back()));
    std::reverse(path.begin(), path.end());
    Product::Tuple at, wanted;
    states_.unpack(path.front(), at);
    const Choices& start = product_.start_of(at);
    std::vector<Leg> legs;
    for (std::size_t i = 1; i < path.size(); ++i) {
      states_.unpack(path[i], wanted);
      legs.push_back(leg(at, [&](const Successors::Successor& next) { return next.tuple == wanted; }));
    }
    if (last) legs.push_back(leg(at, last));
    return choices_of(scenario_, budget_, start, legs);
  }

  /// The states that are quiescent, or after which nothing happens, and the events between them without a fault.
  QuiescentStates quiescent_states() {
    struct Follower final : Successors::Sink {
      std::vector<Product::Tuple> next{};
      void see(const Successors::Successor& one) override {
        if (!one.move.asks) next.push_back(one.tuple);
      }
    } follower;
    QuiescentStates quiet;
    for (const auto& [place, states] : resting_) {
      for (const std::uint32_t state : states) {
        states_.unpack(state, tuple_);
        follower.next.clear();
        const bool ended = !batch_.learn(tuple_, follower);
        std::string remains = product_.remains(tuple_, ended);
        if (limits_.by_faults) remains += fmt::format("/{}", product_.budget_of(tuple_));
        quiet.add({state, place.first, place.second}, std::move(remains));
        for (const Product::Tuple& next : follower.next) {
          const bool goes_on = product_.faults_used(next.data()) == place.first && product_.quiet(next);
          if (goes_on) quiet.leads(state, states_.find(next).value());
        }
      }
    }
    return quiet;
  }

  /// The first move that is wanted, and the state after it.
  Leg leg(Product::Tuple& at, const Wanted& wanted) {
    struct Finder final : Successors::Sink {
      const Wanted& wanted;
      std::optional<Leg> leg{};
      Product::Tuple after{};
      explicit Finder(const Wanted& of) : wanted(of) {}
      void see(const Successors::Successor& next) override {
        if (leg || !wanted(next)) return;
        leg = Leg{next.move, *next.move.answers};
        after = next.as_it_is;
      }
    } finder(wanted);
    batch_.learn_all(at, finder);
    finder.leg.value().move.answers = nullptr;
    at = finder.after;
    return *std::move(finder.leg);
  }

  std::optional<CoverageEstimate> probe(int schedules) {
    struct SamplingSink final : Successors::Sink {
      RandomBits& bits;
      Product::Tuple tuple{};
      std::uint64_t shown = 0;
      explicit SamplingSink(RandomBits& from) : bits(from) {}
      void see(const Successors::Successor& next) override {
        if (bits.below(++shown) == 0) tuple = next.tuple;
      }
    };
    return sim::probe(schedules, limits_.stop_telling, [this](const auto& met) {
      const std::vector<Product::Tuple> initial = product_.initial();
      SamplingSink drawn(probes_);
      Product::Tuple at = batch_.stand_in(initial[probes_.below(initial.size())]);
      while (met(states_.find(at).has_value()) && batch_.learn(at, drawn)) {
        drawn.shown = 0;
        at = drawn.tuple;
      }
    });
  }

  [[nodiscard]] std::uint64_t bytes() const { return states_.bytes() + product_.bytes() + batch_.bytes(); }

  void look_at_limits(bool was_stopped) {
    if (was_stopped) result_.stopped = "it was stopped";
    if (bytes() > limits_.bytes) result_.stopped = "the memory limit was reached";
    std::uint64_t waiting = 0;
    for (const auto& [place, states] : frontier_) waiting += states.size();
    const Progress progress{.states = states_.size(),
                            .transitions = result_.transitions,
                            .frontier = waiting,
                            .bytes = bytes(),
                            .faults = place_.first,
                            .depth = place_.second,
                            .runs = product_.runs(),
                            .paths = product_.paths(),
                            .inputs = product_.inputs(),
                            .probe = [this] { return probe(few_probes); }};
    if (limits_.go_on && !limits_.go_on(progress)) result_.stopped = "it was stopped";
    by_limit_ = !result_.stopped.empty();
  }

  void write(CheckpointOut& out) const {
    out.number(static_cast<std::uint64_t>(result_.detail));
    out.numbers<Id>(batch_.learning_log());
    for (std::size_t shard = 0; shard < PackedSet::shard_count; ++shard) {
      out.numbers<std::uint32_t>(states_.tuples_of(shard));
      out.numbers<std::uint32_t>(states_.parents_of(shard));
    }
    for (const auto* places : {&frontier_, &resting_}) out.places(*places);
    out.number(found_.size());
    for (const auto& [find, found] : found_) write(out, find, found);
    for (const std::uint64_t n :
         {result_.transitions, result_.terminal, result_.unanswered, result_.at_horizon, result_.given_up, expanded_}) {
      out.number(n);
    }
    for (const bool b : {result_.acquired, result_.contended}) out.number(b);
    out.number(static_cast<std::uint64_t>(result_.depth));
  }

  /// Called after the initial states, whose parts have the first numbers.
  void restore(CheckpointIn& in) {
    bool good = batch_.learn_again(in.numbers<Id>());
    for (std::size_t shard = 0; shard < PackedSet::shard_count; ++shard) {
      const auto tuples = in.numbers<std::uint32_t>();
      good = good && states_.restore(shard, tuples, in.numbers<std::uint32_t>());
    }
    if (!good) throw CheckpointError("the checkpoint does not fit this program");
    for (auto* places : {&frontier_, &resting_}) *places = in.places();
    for (std::uint64_t left = in.number(); left > 0; --left) read(in);
    for (std::uint64_t* n : {&result_.transitions, &result_.terminal, &result_.unanswered, &result_.at_horizon,
                             &result_.given_up, &expanded_}) {
      *n = in.number();
    }
    for (bool* b : {&result_.acquired, &result_.contended}) *b = in.number() != 0;
    result_.depth = in.small();
  }

  static void write(CheckpointOut& out, const ViolationKey& find, const ViolationPlace& found) {
    for (const std::string& text : {find.way.first, find.way.second}) out.text(text);
    out.number(find.budget);
    for (const int n : {static_cast<int>(found.parent), int{found.at_end}, found.faults, found.depth}) {
      out.number(static_cast<std::uint32_t>(n));
    }
  }
  void read(CheckpointIn& in) {
    const std::string property = in.text();
    ViolationKey find{{property, in.text()}, {}};
    find.budget = static_cast<Id>(in.number());
    ViolationPlace found;
    found.parent = static_cast<std::uint32_t>(in.number());
    found.at_end = in.number() != 0;
    for (int* n : {&found.faults, &found.depth}) *n = in.small();
    ways_.insert(find.way);
    found_.insert_or_assign(std::move(find), found);
  }

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  const Limits& limits_;
  ModelFactory models_;
  Product product_;
  PackedSet states_;
  Batch batch_;
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> frontier_;  // by faults and depth
  std::pair<int, int> place_{};
  std::uint64_t expanded_ = 0;
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> resting_;  // quiescent, or without a successor
  bool by_limit_ = false;                                              // what stopped it
  ViolationPlaces found_;
  std::set<ViolationKind> ways_;  // that are found
  Product::Tuple tuple_;
  RandomBits probes_{1};
  Exploration result_;
};

}  // namespace

std::string stateful_engine_refuses(const harness::Scenario& scenario, const harness::Bounds& budget) {
  return Product::refusal(scenario, budget.without_idle_entries());
}

Exploration explore_stateful(const harness::Scenario& scenario, const harness::Bounds& bounds, const Limits& limits) {
  return explore_rechecked(scenario, bounds, limits, {});
}

Exploration explore_rechecked(const harness::Scenario& scenario, const harness::Bounds& bounds, const Limits& limits,
                              const Recheck& recheck) {
  const harness::Bounds budget = bounds.without_idle_entries();
  const auto search = [&](const harness::Scenario& one, const Limits& within) {
    auto detail = within.resume ? static_cast<ClockDetail>(within.resume->number()) : ClockDetail::relative;
    for (CheckpointIn* from = within.resume;; from = nullptr) {
      Engine engine(one, budget, within, detail, recheck);
      if (auto found = engine.run(from)) return *std::move(found);
      detail = engine.clocks_read();
    }
  };
  return explore_contended(scenario, limits, search);
}

}  // namespace lockproof::sim
