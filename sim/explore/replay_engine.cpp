// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/replay_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>
#include <tuple>

#include "harness/scenario/names.hpp"
#include "sim/explore/commuting_chooser.hpp"
#include "sim/explore/contention.hpp"
#include "sim/explore/lookahead.hpp"
#include "sim/explore/naming_chooser.hpp"
#include "sim/explore/newcomer.hpp"
#include "sim/explore/path_chooser.hpp"
#include "sim/explore/probe.hpp"
#include "sim/explore/probing_chooser.hpp"
#include "sim/explore/state_graph.hpp"
#include "sim/explore/walk.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;
constexpr int few_probes = 2, many_probes = 20;
constexpr std::size_t batch = 64;  // states that are expanded between two looks at the limits

struct State {
  std::uint32_t parent = nobody;
  int faults = 0, depth = 0;
  Choices choices{};   // of the step that led here
  bool quiet = false;  // no client will ask any more
  std::string remains{};
};

/// One way on from a state.
struct Leaf {
  bool ended = false;  // there is none
  bool asks = false;   // a client asks, when it likes
  Choices choices{};
  std::string identity{};
  int faults = 0;
  std::vector<int> counts{};  // of the budget
  Shown shown{};
  std::string event{};  // its name, and who is inside after it, for a graph
  std::vector<std::string> inside{};
  bool quiet = false;     // no client will ask any more
  std::string remains{};  // on the servers, of a state that is quiet or ended
};

/// All ways on from one state.
struct Expanded {
  std::vector<Leaf> leaves;
  bool wall_was_read = false;
};

class Engine {
 public:
  Engine(const harness::Scenario& scenario, const harness::Bounds& budget, const Limits& limits)
      : scenario_(scenario), budget_(budget), limits_(limits), scripts_(std::max(1u, limits.workers)) {
    for (auto& scripts : scripts_) scripts = std::make_unique<redis::ScriptEngine>();
    for (const auto& scripts : scripts_) lookaheads_.emplace_back(scenario, budget, *scripts, limits.reduce);
    for (const check::Property& property : check::properties()) {
      if (property.watch && check::states_bound(property, scenario)) result_.judged.emplace(property.name);
    }
  }

  Exploration run() {
    if (!limits_.resume || result_.offsets) {
      add(nobody, 0, expand(nobody, 0));
    } else {
      restore();
    }
    while (!frontier_.empty() && !restart_ && result_.stopped.empty()) {
      std::vector<std::uint32_t> now = take_batch();
      std::vector<Expanded> all(now.size());
      expand_all(now, all);
      for (std::size_t i = 0; i < now.size(); ++i) add(now[i], states_[now[i]].depth + 1, std::move(all[i]));
      watch_limits();
    }
    if (restart_) return again_with_offsets();
    result_.complete = frontier_.empty() && result_.stopped.empty();
    result_.states = states_.size();
    result_.bytes = bytes();
    keep_fewest(result_);
    if (!result_.complete) {
      result_.reached = {place().first, place().second};
      if (limits_.estimate) result_.probed = probe(many_probes);
      if (by_limit_)
        save(
            limits_, [this](CheckpointOut& out) { write(out); }, result_);
    } else if (!scenario_.progress && limits_.newcomers) {
      const auto path = [this](std::uint32_t state) { return path_to(state); };
      send_newcomers(scenario_, budget_, quiet_, path, {limits_.reduce, limits_.by_faults}, result_);
    }
    return std::move(result_);
  }

 private:
  void write(CheckpointOut& out) const {
    out.number(result_.offsets);
    out.number(states_.size());
    std::vector<const std::string*> identities(states_.size());
    for (const auto& [identity, number] : visited_) identities[number] = &identity;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      out.number(states_[i].parent);
      out.place({states_[i].faults, states_[i].depth});
      out.numbers<std::uint16_t>(states_[i].choices);
      out.text(*identities[i]);
      out.number(states_[i].quiet);
      out.text(states_[i].remains);
    }
    quiet_.write(out);
    out.places(frontier_);
    write_broken(result_, out);
    result_.write(out);
    for (const std::uint64_t n : {position_, identity_bytes_, result_.transitions, result_.terminal}) out.number(n);
    out.number(static_cast<std::uint64_t>(result_.depth));
  }

  void restore() {
    CheckpointIn& in = *limits_.resume;
    result_.offsets = in.number() != 0;
    for (std::uint64_t left = in.number(); left > 0; --left) {
      State state{.parent = static_cast<std::uint32_t>(in.number())};
      std::tie(state.faults, state.depth) = in.place();
      state.choices = in.numbers<std::uint16_t>();
      visited_.emplace(in.text(), static_cast<std::uint32_t>(states_.size()));
      state.quiet = in.number() != 0;
      state.remains = in.text();
      states_.push_back(std::move(state));
    }
    quiet_.read(in);
    frontier_ = in.places();
    read_broken(in, limits_.reduce, result_);
    for (const auto& [way, broken] : result_.broken) ways_.insert(way);
    result_.read(in);
    position_ = in.number();
    for (std::uint64_t* n : {&identity_bytes_, &result_.transitions, &result_.terminal}) *n = in.number();
    result_.depth = in.small();
  }

  /// Whoever compares wall clocks sees how far they differ: then that belongs to the state, from the beginning.
  Exploration again_with_offsets() {
    if (limits_.graph) limits_.graph->clear();
    Engine other(scenario_, budget_, limits_);
    other.result_.offsets = true;
    return other.run();
  }

  /// Of one depth and number of faults, the fewest first; in a depth-first search the latest one.
  std::vector<std::uint32_t> take_batch() {
    std::vector<std::uint32_t> taken;
    if (limits_.depth_first) {
      auto& latest = frontier_.rbegin()->second;
      taken.push_back(latest.back());
      latest.pop_back();
      if (latest.empty()) frontier_.erase(std::prev(frontier_.end()));
      return taken;
    }
    auto& first = frontier_.begin()->second;
    const std::size_t count = std::min(first.size() - position_, batch * scripts_.size());
    const auto from = first.begin() + static_cast<std::ptrdiff_t>(position_);
    taken.assign(from, from + static_cast<std::ptrdiff_t>(count));
    position_ += count;
    if (position_ == first.size()) {
      frontier_.erase(frontier_.begin());
      position_ = 0;
    }
    return taken;
  }

  void expand_all(const std::vector<std::uint32_t>& states, std::vector<Expanded>& into) {
    const std::size_t workers = std::min(scripts_.size(), states.size());
    std::vector<std::exception_ptr> errors(workers);
    std::vector<std::thread> threads;
    const auto work = [&](std::size_t worker) {
      try {
        for (std::size_t i = worker; i < states.size(); i += workers) into[i] = expand(states[i], worker);
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
  }

  Expanded expand(std::uint32_t state, std::size_t worker) {
    Expanded expanded;
    const Choices path = path_to(state);
    expand(state, path, path.size(), *scripts_[worker], expanded);
    if (state == nobody) return expanded;
    for (const Lookahead::Asked& ask : lookaheads_[worker].asks(path, states_[state].depth)) {
      Choices asked = path;
      PathChooser::add_ask(asked, ask.client, ask.after);
      expand(state, std::move(asked), path.size(), *scripts_[worker], expanded);
    }
    return expanded;
  }

  /// One step more than the state, by this path; `state_ends`: of it.
  void expand(std::uint32_t state, Choices path, std::size_t state_ends, redis::ScriptEngine& scripts,
              Expanded& into) const {
    const std::size_t from = path.size();
    const bool asks = from > state_ends;
    PathChooser chooser(std::move(path));
    do {
      chooser.rewind();
      CommutingChooser reduced(chooser, scenario_, budget_);
      Chooser& asked = limits_.reduce ? static_cast<Chooser&>(reduced) : chooser;
      NamingChooser naming(asked);
      Walk walk(scenario_, budget_, scripts, limits_.graph ? naming : asked);
      naming.follow(walk.world());
      reduced.follow(walk.world());
      Leaf leaf;
      leaf.asks = asks;
      if (state != nobody) {
        for (int i = 0; i < states_[state].depth; ++i) walk.step();
        leaf.ended = !walk.step();
      }
      leaf.choices.assign(chooser.path().begin() + static_cast<std::ptrdiff_t>(state_ends), chooser.path().end());
      if (!leaf.ended) leaf.identity = walk.identity(result_.offsets);
      leaf.faults = walk.world().budget().used();
      if (limits_.by_faults) leaf.counts = walk.world().budget().counts();
      leaf.shown = walk.shown();
      if (limits_.graph) leaf.event = naming.event(), leaf.inside = inside(walk.world());
      leaf.quiet = walk.world().is_quiet();
      if (leaf.quiet || leaf.ended) leaf.remains = remains(walk.world(), leaf.ended);
      for (const int n : leaf.counts) leaf.remains += fmt::format("/{}", n);
      into.wall_was_read |= walk.world().wall_was_read();
      into.leaves.push_back(std::move(leaf));
    } while (chooser.advance(from));
  }

  [[nodiscard]] static std::string remains(const World& world, bool ended) {
    std::string all(1, world.is_quiet() ? 'q' : 's');
    for (std::size_t i = 0; i < world.server_count(); ++i) all += world.remains(i, !ended);
    return all;
  }

  void add(std::uint32_t parent, int depth, Expanded expanded) {
    restart_ |= expanded.wall_was_read && !result_.offsets;
    const bool was_quiet = parent != nobody && states_[parent].quiet;
    if (was_quiet && !expanded.leaves.front().ended) rest(parent, std::move(states_[parent].remains));
    for (Leaf& leaf : expanded.leaves) {
      if (leaf.ended) {
        ++result_.terminal;
        rest(parent, std::move(leaf.remains));
        note(parent, depth, leaf);  // that nothing will happen any more is what breaks some
        continue;
      }
      if (parent != nobody) ++result_.transitions;
      note(parent, depth, leaf);
      identity_bytes_ += leaf.identity.size();
      const auto number = static_cast<std::uint32_t>(states_.size());
      const auto [known, is_new] = visited_.emplace(std::move(leaf.identity), number);
      if (limits_.graph && is_new) limits_.graph->add_state(std::move(leaf.inside));
      if (limits_.graph && parent != nobody) {
        limits_.graph->add_event(parent, known->second, std::move(leaf.event), !leaf.shown.broken.empty());
      }
      const bool goes_on = was_quiet && leaf.quiet && !leaf.asks && states_[parent].faults == leaf.faults;
      if (goes_on) quiet_.leads(parent, known->second);
      if (!is_new) continue;
      states_.push_back({parent, leaf.faults, depth, std::move(leaf.choices), leaf.quiet, std::move(leaf.remains)});
      const int order = limits_.depth_first ? 0 : leaf.faults;
      frontier_[{order, depth}].push_back(number);
      result_.depth = std::max(result_.depth, depth);
    }
  }

  /// A state that is quiet, or after which nothing happens.
  void rest(std::uint32_t state, std::string remains) {
    quiet_.add({state, states_[state].faults, states_[state].depth}, std::move(remains));
  }

  void note(std::uint32_t parent, int depth, const Leaf& leaf) {
    result_.add(leaf.shown);
    const auto reached = [&] {
      Broken broken{path_to(parent), limits_.reduce, leaf.faults, depth, {}};
      broken.choices.insert(broken.choices.end(), leaf.choices.begin(), leaf.choices.end());
      return broken;
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

  [[nodiscard]] Choices path_to(std::uint32_t state) const {
    std::vector<const Choices*> parts;
    for (; state != nobody; state = states_[state].parent) parts.push_back(&states_[state].choices);
    Choices path;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      path.insert(path.end(), (*part)->begin(), (*part)->end());
    return path;
  }

  [[nodiscard]] std::uint64_t bytes() const {
    constexpr std::uint64_t node = sizeof(State) + 96;  // with its entry in the table, about
    return states_.size() * node + identity_bytes_;
  }

  /// By faults and depth, where the search is.
  [[nodiscard]] std::pair<int, int> place() const {
    return frontier_.empty() ? std::pair(0, 0) : frontier_.begin()->first;
  }

  std::optional<Probed> probe(int schedules) {
    return sim::probe(schedules, [this](const auto& met) {
      ProbingChooser chooser(probes_);
      CommutingChooser reduced(chooser, scenario_, budget_);
      Walk walk(scenario_, budget_, *scripts_[0], limits_.reduce ? static_cast<Chooser&>(reduced) : chooser);
      reduced.follow(walk.world());
      while (met(visited_.contains(walk.identity(result_.offsets))) && walk.step()) {
      }
    });
  }

  void watch_limits() {
    if (!result_.stopped.empty()) return;  // enough was found
    if (bytes() > limits_.bytes) result_.stopped = "the memory limit was reached";
    by_limit_ = !result_.stopped.empty();
    const auto waiting = [&] {
      std::uint64_t count = 0;
      for (const auto& [place, states] : frontier_) count += states.size();
      return count - position_;
    };
    if (!limits_.go_on) return;
    const Progress progress{
        states_.size(), result_.transitions, waiting(), bytes(), place().first, place().second, [this] {
          return probe(few_probes);
        }};
    if (!limits_.go_on(progress)) result_.stopped = "it was stopped";
    by_limit_ |= !result_.stopped.empty();
  }

  const harness::Scenario& scenario_;
  const harness::Bounds& budget_;
  const Limits& limits_;
  std::vector<std::unique_ptr<redis::ScriptEngine>> scripts_;  // of each worker
  std::deque<Lookahead> lookaheads_;                           // of each worker
  std::vector<State> states_;
  std::map<std::string, std::uint32_t> visited_;
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> frontier_;  // by faults and depth
  std::size_t position_ = 0;                                            // in the first of them
  std::uint64_t identity_bytes_ = 0;
  RandomBits probes_{1};
  QuietStates quiet_;
  bool by_limit_ = false;  // what stopped it
  bool restart_ = false;
  std::set<Way> ways_;  // that are found
  Exploration result_;
};

}  // namespace

Exploration explore_by_replay(const harness::Scenario& scenario, const harness::Bounds& bounds, const Limits& limits) {
  const harness::Bounds budget = bounds.without_idle_entries();
  const auto search = [&](const harness::Scenario& one, const Limits& within) {
    return Engine(one, budget, within).run();
  };
  return explore_contended(scenario, limits, search);
}

}  // namespace lockproof::sim
