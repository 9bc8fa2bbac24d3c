// SPDX-License-Identifier: Apache-2.0
// MonitorStates: the states of a world's monitors, each once, and what events do to them. Mutual exclusion is not among
// them: whether a client is inside, and whether still entitled, is a trait of its host.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/monitor.hpp"
#include "sim/explore/automata/host.hpp"

namespace lockproof::sim {

/// The states of one monitor. To compute a step, the monitor is copied from an earlier state, or made again from its
/// start; one monitor has few states, all together have many.
class Watcher final : public Pinned {
 public:
  Watcher(Shared& shared, const harness::Header& header, const check::Property& property);
  ~Watcher();

  [[nodiscard]] Id aged(Id state, Duration by);
  struct Seen {
    Id state;
    bool broken;
    std::string kind;
  };
  const Seen& seen(Id state, Id events);
  [[nodiscard]] const Seen& known(Id state, Id events) const { return seen_[steps_.find({events, state})]; }
  using Rewrite = std::function<Id(Id events)>;
  /// The state that it would have after rewritten events. `which`: a number for each `rewrite`.
  [[nodiscard]] Id image(Id state, std::size_t which, const Rewrite& rewrite);
  [[nodiscard]] std::string name() const { return std::string(property_.name); }
  /// Whether it counts time.
  [[nodiscard]] bool timed() const { return property_.bound != nullptr; }

 private:
  struct State {
    Id parent;
    Duration by;
    Id events;
  };
  class Running;
  Id add(const Running& running, State state);
  [[nodiscard]] std::unique_ptr<Running> made(Id state);
  void keep(Id state, std::unique_ptr<Running> running);
  static constexpr std::size_t most_live = 1024;

  Shared& shared_;
  const harness::Header& header_;
  const check::Property& property_;
  Interner interner_;
  std::vector<State> states_;
  std::map<Id, std::unique_ptr<Running>> live_;
  FlatMap ages_, steps_, symmetric_states_;
  std::deque<Seen> seen_;  // references stay good
};

class MonitorStates final : public Pinned {
 public:
  using Violations = std::vector<std::pair<std::string, std::string>>;

  explicit MonitorStates(Shared& shared);

  /// The properties that are judged here.
  [[nodiscard]] const std::vector<std::string>& judged() const { return judged_; }
  [[nodiscard]] Id aged(Id state, Duration by);
  struct Seen {
    Id state = 0;
    Violations broken{};
  };
  [[nodiscard]] std::size_t size() const { return states_->size(); }
  const Seen& seen(Id state, Id events);
  /// The same for those that remember the result themselves: the state after it, and whether a property is broken …
  std::pair<Id, bool> after(Id state, Id events);
  /// … and which. REQUIRES: `after` was called.
  [[nodiscard]] Violations broken(Id state, Id events) const;
  /// For tests: the first monitor does not see what is asked by `after`.
  void deafen(bool is_deaf) { deaf_ = is_deaf; }
  [[nodiscard]] Id image(Id state, std::size_t which, const Watcher::Rewrite& rewrite);
  /// Null if it has not been computed yet.
  [[nodiscard]] const Seen* known(Id state, Id events) const {
    const Id id = steps_.find(events, state);
    return id == FlatMap::none ? nullptr : &seen_[id];
  }
  /// FlatMap::none if it has not been computed yet.
  [[nodiscard]] Id known_aged(Id state, Duration by) const {
    return timed_ ? ages_.find({static_cast<std::uint64_t>(by.count()), state}) : state;
  }

 private:
  Id add(const std::vector<Id>& states);

  bool deaf_ = false;
  std::vector<Id> next_;  // scratch
  harness::Header header_;
  bool timed_ = false;  // one of them counts time
  std::vector<std::string> judged_;
  std::vector<std::unique_ptr<Watcher>> monitor_states_;
  std::unique_ptr<Tuples> states_;  // of each monitor
  FlatMap ages_;
  PairMap steps_;          // by list of events, and state
  std::deque<Seen> seen_;  // references stay good
};

}  // namespace lockproof::sim
