// SPDX-License-Identifier: Apache-2.0
// TimedWatcher: a monitor of the product that counts time, in a search in which an instant is a name. A comparison of
// two instants is a question to the search, and its answer an input, as for a lock's code. A state has local names,
// 0, 1, …, for the instants that the monitor still needs; a step says which of them live on, and which one begins.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/check/monitor.hpp"
#include "search/automata/event_lists.hpp"
#include "search/containers/interner.hpp"
#include "search/zones/payloads.hpp"
#include "search/zones/time/named_instant.hpp"

namespace lockproof::zones {

class TimedWatcher final : public PinnedObject {
 public:
  /// Of a name: the instant of the events.
  static constexpr int begins = -1;

  struct Question {
    NamedInstant one{}, other{};  // local names, or `begins`: whether the one is before the other
  };
  struct Step {
    std::optional<Question> question{};  // to be answered first; then all else means nothing
    Id state = 0;
    std::vector<int> names{};  // of each name of the new state: that in the old state, or `begins`
    bool is_violated = false;
    std::string kind{};
  };

  /// REQUIRES: all references outlive the watcher; the scenario states the property's bound.
  TimedWatcher(const harness::Scenario& scenario, const sim::EventLists& events, const harness::Header& header,
               const check::Property& property);

  /// All events of the list happen at one instant, not before those of the steps that led to the state. The first state
  /// is 0. `answers`: to the questions so far.
  const Step& step(Id state, Id events, const std::vector<bool>& answers);
  [[nodiscard]] const std::string& property() const { return property_; }
  /// It asks whether more time than this lies between an instant and now, and nothing else.
  [[nodiscard]] Duration bound() const { return bound_; }

 private:
  class Oracle;
  struct State {
    std::unique_ptr<check::Monitor> monitor;
    std::vector<int> handles{};  // what the monitor calls each name
    int next = 0;                // greater than all that it has ever called one
  };

  Step work_out(Id from, Id events, const std::vector<bool>& answers);
  [[nodiscard]] static std::string encoded(State& state);
  Id add(State state, std::string encoding);

  const sim::EventLists& events_;
  const std::string property_;
  const Duration bound_;
  std::deque<State> states_;
  sim::Interner encodings_;
  std::map<std::tuple<Id, Id, std::vector<bool>>, Step> steps_;
};

}  // namespace lockproof::zones
