// SPDX-License-Identifier: Apache-2.0
// StateGraph: the states that a search has visited, and the events between them, as a graph to be drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockproof::sim {

class StateGraph {
 public:
  static constexpr std::size_t states_max = 2000;  // more are counted, and not drawn

  /// States are numbered from 0, in the order in which they are added. `inside`: the clients in the critical section.
  void add_state(std::vector<std::string> inside) { states_.push_back(std::move(inside)); }
  /// An event leads from one state to another; `breaks`: whether it breaks a property.
  void add_event(std::uint32_t from, std::uint32_t to, std::string event, bool breaks) {
    if (can_be_drawn()) events_.push_back({from, to, std::move(event), breaks});
  }
  void clear() { states_.clear(), events_.clear(); }
  [[nodiscard]] std::size_t states() const { return states_.size(); }
  [[nodiscard]] bool can_be_drawn() const { return states_.size() <= states_max; }

  /// The graph in the language of Graphviz. States after which nothing happens have a double border; those with two
  /// clients inside, and events that break a property, are red.
  [[nodiscard]] std::string dot(const std::string& title) const;

 private:
  struct Event {
    std::uint32_t from, to;
    std::string name;
    bool breaks;
  };
  std::vector<std::vector<std::string>> states_;
  std::vector<Event> events_;
};

}  // namespace lockproof::sim
