// SPDX-License-Identifier: Apache-2.0
#include "search/reexecution/reexecution_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>
#include <tuple>

#include "harness/scenario/names.hpp"
#include "search/core/contention.hpp"
#include "search/core/probe.hpp"
#include "search/core/walk.hpp"
#include "search/liveness/probe_client.hpp"
#include "search/reduction/commuting_chooser.hpp"
#include "search/reexecution/graph_leaf.hpp"
#include "search/reexecution/lookahead.hpp"
#include "search/reexecution/reexecuted_states.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/kernel/probing_chooser.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint32_t nobody = ReexecutedStates::nobody;
constexpr int few_probes = 2, many_probes = 20;
constexpr std::size_t batch = 64;  // states that are expanded between two looks at the limits

/// One successor of a state.
struct Leaf {
  bool ended = false;       // there is none
  bool at_horizon = false;  // … that the scenario's horizon does not cut off
  bool given_up = false;    // … that is known
  bool asks = false;        // a client asks, although it could wait
  Choices choices{};
  std::string encoding{};
  int faults = 0;
  std::vector<int> counts{};  // the budget's counts
  PathCoverage shown{};
  StateGraph::Event event{};  // for a graph
  StateGraph::State state{};
  bool quiet = false;     // no client will ask any more
  std::string remains{};  // on the servers, for a state that is quiescent or ended
};

/// All successors of one state.
struct Expansion {
  std::vector<Leaf> leaves;
  ClockDetail clocks_read = ClockDetail::relative;
  bool whole = false;  // else it was stopped
};

class Engine {
 public:
  Engine(const harness::Scenario& scenario, const harness::Bounds& budget, const Limits& limits)
      : scenario_(scenario), budget_(budget), limits_(limits), models_(std::max(1u, limits.workers)) {
    for (auto& models : models_) models = std::make_unique<ModelFactory>();
    for (const auto& models : models_) {
      lookaheads_.emplace_back(scenario, budget, *models, limits.reduce, limits.stop);
    }
    for (const check::Property& property : check::properties_of(scenario)) {
      if (property.watch && check::is_judged(property, scenario)) result_.judged.emplace(property.name);
    }
  }

  Exploration run() {
    if (limits_.resume && result_.detail == ClockDetail::relative) restore();
    if (states_.size() == 0) begin();
    while (!frontier_.empty() && needed_ <= result_.detail && result_.stopped.empty()) {
      const std::vector<std::uint32_t> now = next_batch();
      std::vector<Expansion> all(now.size());
      const std::size_t done = expand_all(now, all);
      drop(done);
      for (std::size_t i = 0; i < done; ++i) add(now[i], states_.at(now[i]).depth + 1, std::move(all[i]));
      watch_limits(done < now.size());
    }
    if (needed_ > result_.detail) return again_with_clocks();
    if (result_.stopped.empty() && result_.given_up > 0) result_.stopped = at_a_difference;
    if (result_.stopped.empty() && result_.at_horizon > 0) result_.stopped = at_the_horizon;
    result_.complete = frontier_.empty() && result_.stopped.empty();
    result_.states = states_.size();
    result_.bytes = states_.bytes();
    if (!result_.rounds.fenced) result_.judged.erase("fencing-order");
    keep_fewest(result_);
    if (!result_.complete) {
      if (!result_.reached_ends()) result_.reached = {place().first, place().second};
      if (limits_.estimate) result_.probed = probe(many_probes);
      if (by_limit_)
        save(
            limits_, [this](CheckpointOut& out) { write(out); }, result_);
    } else if (!scenario_.progress && limits_.probe_clients) {
      send_probe_clients();
    }
    return std::move(result_);
  }

 private:
  void begin() {
    std::vector<Expansion> made(1);
    if (expand_all({nobody}, made) == 1) return add(nobody, 0, std::move(made[0]));
    result_.stopped = "it was stopped";
    by_limit_ = true;
  }

  void send_probe_clients() {
    const auto path = [this](std::uint32_t state) { return states_.path_to(state); };
    const ProbeClientsViolation how{limits_.reduce, limits_.by_faults, limits_.stop};
    try {
      sim::send_probe_clients(scenario_, budget_, quiet_, path, how, result_);
    } catch (const Cancellation&) {
      result_.probes_stopped = "it was stopped";
      save(
          limits_, [this](CheckpointOut& out) { write(out); }, result_);
    }
  }

  void write(CheckpointOut& out) const {
    out.number(static_cast<std::uint64_t>(result_.detail));
    states_.write(out);
    quiet_.write(out);
    out.places(frontier_);
    write_broken(result_, out);
    result_.write(out);
    for (const std::uint64_t n :
         {position_, result_.transitions, result_.terminal, result_.at_horizon, result_.given_up}) {
      out.number(n);
    }
    out.number(static_cast<std::uint64_t>(result_.depth));
  }

  void restore() {
    CheckpointIn& in = *limits_.resume;
    result_.detail = needed_ = static_cast<ClockDetail>(in.number());
    states_.read(in);
    quiet_.read(in);
    frontier_ = in.places();
    read_broken(in, limits_.reduce, result_);
    for (const auto& [way, broken] : result_.broken) ways_.insert(way);
    result_.read(in);
    position_ = in.number();
    for (std::uint64_t* n : {&result_.transitions, &result_.terminal, &result_.at_horizon, &result_.given_up})
      *n = in.number();
    result_.depth = in.small();
  }

  /// What is read of the clocks belongs to the state, from the beginning.
  Exploration again_with_clocks() {
    if (limits_.graph) limits_.graph->clear();
    Engine other(scenario_, budget_, limits_);
    other.result_.detail = other.needed_ = needed_;
    return other.run();
  }

  /// States of one depth and number of faults, the fewest first; in a depth-first search the latest one.
  [[nodiscard]] std::vector<std::uint32_t> next_batch() const {
    if (limits_.depth_first) return {frontier_.rbegin()->second.back()};
    const auto& first = frontier_.begin()->second;
    const std::size_t count = std::min(first.size() - position_, batch * models_.size());
    const auto from = first.begin() + static_cast<std::ptrdiff_t>(position_);
    return {from, from + static_cast<std::ptrdiff_t>(count)};
  }

  /// Expands the first ones of the batch.
  void drop(std::size_t count) {
    const auto of = limits_.depth_first ? std::prev(frontier_.end()) : frontier_.begin();
    if (limits_.depth_first) {
      of->second.resize(of->second.size() - count);
    } else {
      position_ += count;
    }
    if (position_ < of->second.size()) return;
    frontier_.erase(of);
    position_ = 0;
  }

  /// Returns how many were expanded, in order from the first: all, unless it was stopped.
  std::size_t expand_all(const std::vector<std::uint32_t>& states, std::vector<Expansion>& into) {
    const std::size_t workers = std::min(models_.size(), states.size());
    std::vector<std::exception_ptr> errors(workers);
    std::vector<std::thread> threads;
    const auto work = [&](std::size_t worker) {
      try {
        for (std::size_t i = worker; i < states.size(); i += workers) into[i] = expand(states[i], worker);
      } catch (const Cancellation&) {
      } catch (...) {
        errors[worker] = std::current_exception();
      }
    };
    for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
    work(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    return static_cast<std::size_t>(std::ranges::find(into, false, &Expansion::whole) - into.begin());
  }

  Expansion expand(std::uint32_t state, std::size_t worker) {
    Expansion expanded;
    const Choices path = states_.path_to(state);
    expand(state, path, path.size(), *models_[worker], expanded);
    const auto asks = [&] { return lookaheads_[worker].asks(path, states_.at(state).depth); };
    for (const Lookahead::ConnectingAsk& ask : state == nobody ? std::vector<Lookahead::ConnectingAsk>{} : asks()) {
      Choices asked = path;
      PathChooser::add_ask(asked, ask.client, ask.after, ask.connects);
      expand(state, std::move(asked), path.size(), *models_[worker], expanded);
    }
    expanded.whole = true;
    return expanded;
  }

  /// Runs one step beyond the state, by this path; `state_ends`: the length of the path to the state.
  void expand(std::uint32_t state, Choices path, std::size_t state_ends, ModelFactory& models, Expansion& into) const {
    const std::size_t from = path.size();
    const bool asks = from > state_ends;
    PathChooser chooser(std::move(path));
    do {
      look_at(limits_.stop);
      chooser.rewind();
      CommutingChooser reduced(chooser, scenario_, budget_);
      Chooser& asked = limits_.reduce ? static_cast<Chooser&>(reduced) : chooser;
      NamingChooser naming(asked);
      const bool tells = limits_.graph && limits_.graph->tells();
      Walk walk(scenario_, budget_, models, limits_.graph ? naming : asked, tells);
      naming.follow(walk.world());
      reduced.follow(walk.world());
      Leaf leaf;
      leaf.asks = asks;
      Duration before{};
      if (state != nobody) {
        for (int i = 0; i < states_.at(state).depth; ++i) walk.step();
        before = walk.world().now();
        leaf.given_up = walk.world().has_given_up_program();
        leaf.ended = leaf.given_up || !walk.step();
        leaf.at_horizon = leaf.ended && !leaf.given_up && walk.world().until_next().has_value();
      }
      leaf.choices.assign(chooser.path().begin() + static_cast<std::ptrdiff_t>(state_ends), chooser.path().end());
      if (!leaf.ended) leaf.encoding = walk.encoding(result_.detail);
      leaf.faults = walk.world().budget().used();
      if (limits_.by_faults) leaf.counts = walk.world().budget().counts();
      leaf.shown = walk.shown();
      if (limits_.graph) {
        leaf.event = graph_event(naming, walk, before);
        leaf.state = graph_state(walk, tells);
      }
      leaf.quiet = walk.world().is_quiescent();
      if (leaf.quiet || leaf.ended) leaf.remains = remains(walk.world(), leaf.ended);
      for (const int n : leaf.counts) leaf.remains += fmt::format("/{}", n);
      into.clocks_read = std::max(into.clocks_read, walk.world().clocks_read());
      into.leaves.push_back(std::move(leaf));
    } while (chooser.advance(from));
  }

  [[nodiscard]] static std::string remains(const World& world, bool ended) {
    std::string all(1, world.is_quiescent() ? 'q' : 's');
    for (std::size_t i = 0; i < world.server_count(); ++i) all += world.remains(i, !ended);
    return all;
  }

  void add(std::uint32_t parent, int depth, Expansion expanded) {
    needed_ = std::max(needed_, expanded.clocks_read);
    const bool was_quiet = parent != nobody && states_.at(parent).quiet;
    if (was_quiet && !expanded.leaves.front().ended) rest(parent, std::move(states_.at(parent).remains));
    for (Leaf& leaf : expanded.leaves) {
      if (leaf.ended) {
        ++result_.terminal;
        result_.at_horizon += leaf.at_horizon;
        result_.given_up += leaf.given_up;
        rest(parent, std::move(leaf.remains));
        if (limits_.graph) limits_.graph->add_end(parent, std::move(leaf.event.broken));
        note(parent, depth, leaf);  // some properties break because nothing happens any more
        continue;
      }
      if (parent != nobody) ++result_.transitions;
      note(parent, depth, leaf);
      const auto [number, is_new] = states_.number_of(std::move(leaf.encoding));
      if (limits_.graph && is_new) limits_.graph->add_state(std::move(leaf.state));
      if (limits_.graph && parent == nobody && is_new) limits_.graph->add_start(number);
      if (limits_.graph && parent != nobody) {
        leaf.event.from = parent, leaf.event.to = number;
        limits_.graph->add_event(std::move(leaf.event));
      }
      const bool goes_on = was_quiet && leaf.quiet && !leaf.asks && states_.at(parent).faults == leaf.faults;
      if (goes_on) quiet_.leads(parent, number);
      if (!is_new) continue;
      states_.add({parent, leaf.faults, depth, std::move(leaf.choices), leaf.quiet, std::move(leaf.remains)});
      const int order = limits_.depth_first ? 0 : leaf.faults;
      frontier_[{order, depth}].push_back(number);
      result_.depth = std::max(result_.depth, depth);
    }
  }

  /// A quiescent state, or one after which nothing happens.
  void rest(std::uint32_t state, std::string remains) {
    quiet_.add({state, states_.at(state).faults, states_.at(state).depth}, std::move(remains));
  }

  void note(std::uint32_t parent, int depth, const Leaf& leaf) {
    result_.add(leaf.shown);
    const auto reached = [&] {
      ShortestViolation violation{states_.path_to(parent), limits_.reduce, leaf.faults, depth, {}};
      violation.choices.insert(violation.choices.end(), leaf.choices.begin(), leaf.choices.end());
      return violation;
    };
    for (const auto& way : leaf.shown.broken) {
      const std::pair with_faults(way, leaf.counts);
      const auto same = result_.by_faults.find(with_faults);
      if (limits_.by_faults && (same == result_.by_faults.end() || depth < same->second.depth))
        result_.by_faults.insert_or_assign(with_faults, reached());
      const auto found = result_.broken.find(way);
      const bool better = found == result_.broken.end() ||
                          std::pair(leaf.faults, depth) < std::pair(found->second.faults, found->second.depth);
      if (!better) continue;
      result_.broken.insert_or_assign(way, reached());
      if (!ways_.insert(way).second || !limits_.enough || !limits_.enough(ways_)) continue;
      if (result_.stopped.empty()) result_.stopped = "enough was found";
    }
  }

  /// By faults and depth, where the search is.
  [[nodiscard]] std::pair<int, int> place() const {
    return frontier_.empty() ? std::pair(0, 0) : frontier_.begin()->first;
  }

  std::optional<CoverageEstimate> probe(int schedules) {
    return sim::probe(schedules, limits_.stop_telling, [this](const auto& met) {
      ProbingChooser chooser(probes_);
      CommutingChooser reduced(chooser, scenario_, budget_);
      Walk walk(scenario_, budget_, *models_[0], limits_.reduce ? static_cast<Chooser&>(reduced) : chooser);
      reduced.follow(walk.world());
      while (met(states_.contains(walk.encoding(result_.detail))) && walk.step()) {
      }
    });
  }

  void watch_limits(bool was_stopped) {
    if (!result_.stopped.empty()) return;  // enough was found
    if (was_stopped) result_.stopped = "it was stopped";
    if (states_.bytes() > limits_.bytes) result_.stopped = "the memory limit was reached";
    by_limit_ = !result_.stopped.empty();
    const auto waiting = [&] {
      std::uint64_t count = 0;
      for (const auto& [place, states] : frontier_) count += states.size();
      return count - position_;
    };
    if (!limits_.go_on) return;
    const auto [faults, depth] = place();
    const Progress progress{.states = states_.size(),
                            .transitions = result_.transitions,
                            .frontier = waiting(),
                            .bytes = states_.bytes(),
                            .faults = faults,
                            .depth = depth,
                            // Each schedule runs again from its start: at most so many events.
                            .runs = result_.transitions * static_cast<std::uint64_t>(depth),
                            .probe = [this] { return probe(few_probes); }};
    if (!limits_.go_on(progress)) result_.stopped = "it was stopped";
    by_limit_ |= !result_.stopped.empty();
  }

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  const Limits& limits_;
  std::vector<std::unique_ptr<ModelFactory>> models_;  // of each worker
  std::deque<Lookahead> lookaheads_;                   // of each worker
  ReexecutedStates states_;
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> frontier_;  // by faults and depth
  std::size_t position_ = 0;                                            // in the first of them
  RandomBits probes_{1};
  QuiescentStates quiet_;
  bool by_limit_ = false;  // what stopped it
  ClockDetail needed_ = ClockDetail::relative;
  std::set<ViolationKind> ways_;  // that are found
  Exploration result_;
};

}  // namespace

Exploration explore_by_reexecution(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                   const Limits& limits) {
  const harness::Bounds budget = bounds.without_idle_entries();
  const auto search = [&](const harness::Scenario& one, const Limits& within) {
    return Engine(one, budget, within).run();
  };
  return explore_contended(scenario, limits, search);
}

}  // namespace lockproof::sim
