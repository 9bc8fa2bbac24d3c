// SPDX-License-Identifier: Apache-2.0
// ExecutedHost: works steps out by running the isolated site. A state is kept as the input that led to it from another
// one; where the isolated site of a state is gone, it runs again from its start.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "search/automata/answers.hpp"
#include "search/automata/host.hpp"

namespace lockproof::sim {

class ExecutedHost final : public Host {
 public:
  ExecutedHost(SharedContext& shared, std::size_t site);

  [[nodiscard]] Input input_of(Id state) override {
    return is_aged(state) ? Input{.by = states_[state].by} : inputs_[states_[state].input];
  }
  [[nodiscard]] Id parent_of(Id state) override { return states_[state].parent; }
  Id after(Id state, Input input) override;

 private:
  static constexpr Id none = FlatMap::none;
  /// A state is what another one is after some time, which is kept as the time alone, or after an input.
  struct State {
    Duration by{};    // the time, if it is such a state
    Id input = none;  // its place in `inputs_`, if it is not
    Id parent = 0;
    Id depth = 0;                     // inputs since the start
    Id child = none, sibling = none;  // the last state that was made from it, and the one made from its parent before
  };
  /// Where the outcome of a leaf stands: the step at which it was met first, and its place there.
  struct Leaf {
    Id step, place;
  };
  /// An isolated host, and how much time has passed in it since its last input other than time.
  struct LiveHost {
    std::unique_ptr<IsolatedHost> cell;
    Duration passed{};
    std::uint64_t kept = 0;  // HostNumber::number
  };
  /// That an isolated host was kept, at some time; it may be gone since.
  struct HostNumber {
    Id state;
    std::uint64_t number;
  };
  Id work_out_age(Id state, Duration by) override;
  std::vector<Outcome> work_out(Id state, const Key128& key, const Input& input) override;
  [[nodiscard]] bool is_aged(Id state) const { return states_[state].input == none; }
  [[nodiscard]] std::pair<Id, Duration> since(Id state) const;
  [[nodiscard]] LiveHost made(Id state);
  [[nodiscard]] std::unique_ptr<IsolatedHost> reexecuted(Id state) const;
  void keep(Id state, LiveHost live);
  Id add(IsolatedHost& cell, Id parent, Input input);
  [[nodiscard]] Id made_before(Id parent, const Input& input) const;
  [[nodiscard]] PostedMessage numbered(const SiteOutput& posted) const;
  void keep_events(Output& out, Outcome& outcome) const;
  [[nodiscard]] const Outcome& outcome(Id leaf, const std::vector<Outcome>& now) const;
  std::pair<Answers::Run, Outcome> run(Id state, const Input& input, const Choices& choices);

  const std::size_t site_, most_live_;
  const harness::Scenario scenario_;
  std::vector<int> used_up_;  // the budget's counts if nothing is left of it
  Interner interner_;
  std::vector<State> states_;
  std::deque<Input> inputs_;
  FlatMap trees_;  // of `answers_`, by question
  Answers answers_;
  std::vector<Leaf> leaves_;     // of the trees
  std::map<Id, LiveHost> live_;  // by the state after the last such input
  std::deque<HostNumber> kept_;  // the oldest first
  std::uint64_t last_kept_ = 0;
};

}  // namespace lockproof::sim
