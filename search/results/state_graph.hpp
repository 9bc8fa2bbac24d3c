// SPDX-License-Identifier: Apache-2.0
// StateGraph: the states that a search has visited, and the events between them, as a graph to be drawn or walked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockproof::sim {

class StateGraph {
 public:
  static constexpr std::size_t states_max = 2000;  // more are counted, and not drawn

  struct State {
    std::vector<std::string> inside;                // the clients in the critical section
    std::vector<std::vector<std::string>> facts{};  // of each host, see harness::host_facts
    std::vector<std::string> broken_at_end{};       // properties that break if nothing happens any more here
    bool ends = false;                              // … and nothing does
  };
  struct Event {
    std::uint32_t from, to;
    std::string name;
    std::vector<std::string> broken;      // properties
    int host = -1;                        // that it is of, by the history's header; -1: of none
    std::vector<std::string> happened{};  // what happened then
  };

  /// `tells`: what facts and events tell is wanted, too.
  explicit StateGraph(bool tells = false, std::size_t most = states_max) : tells_(tells), most_(most) {}

  /// States are numbered from 0, in the order in which they are added.
  void add_state(State state) { states_.push_back(std::move(state)); }
  /// A schedule can begin with it.
  void add_start(std::uint32_t state) { starts_.push_back(state); }
  void add_event(Event event) {
    if (has_room()) events_.push_back(std::move(event));
  }
  /// Nothing happens any more after this state.
  void add_end(std::uint32_t state, std::vector<std::string> broken) {
    states_[state].ends = true;
    states_[state].broken_at_end = std::move(broken);
  }
  void clear() { states_.clear(), events_.clear(), starts_.clear(); }

  [[nodiscard]] bool tells() const { return tells_; }
  [[nodiscard]] bool has_room() const { return states_.size() <= most_; }
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  [[nodiscard]] const std::vector<std::uint32_t>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

  /// The graph in the language of Graphviz. States after which nothing happens have a double border; those with two
  /// clients inside, and events that break a property, are red.
  [[nodiscard]] std::string dot(const std::string& title) const;

 private:
  const bool tells_;
  const std::size_t most_;
  std::vector<State> states_;
  std::vector<std::uint32_t> starts_;
  std::vector<Event> events_;
};

}  // namespace lockproof::sim
