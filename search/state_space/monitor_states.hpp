// SPDX-License-Identifier: Apache-2.0
// MonitorStates: the states of a world's monitors, and what events do to them. Each monitor has a column of its own in
// a state of the search: one has few states, and all together have many. Mutual exclusion is not among them: whether a
// client is inside, and whether still entitled, is a trait of its host.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/monitor.hpp"
#include "search/automata/host.hpp"

namespace lockproof::sim {

/// The states of one monitor, each once. A step is worked out by a copy of the monitor in the state before it.
class Watcher final : public PinnedObject {
 public:
  /// Of commands in the events: counted back from the last one that was sent, or a number that no other one has which
  /// is under way between the two.
  enum class Numbers { counted, given };

  /// REQUIRES: all references outlive the watcher.
  Watcher(const harness::Scenario& scenario, const EventLists& events, const harness::Header& header,
          const check::Property& property, Numbers numbers = Numbers::counted);
  ~Watcher();

  [[nodiscard]] Id aged(Id state, Duration by);
  /// FlatMap::none if it has not been worked out yet.
  [[nodiscard]] Id known_aged(Id state, Duration by) const {
    return timed() ? ages_.find({static_cast<std::uint64_t>(by.count()), state}) : state;
  }
  struct MonitorStep {
    Id state;
    bool broken;
    std::string kind;
  };
  const MonitorStep& seen(Id state, Id events);
  /// Null if it has not been worked out yet.
  [[nodiscard]] const MonitorStep* known(Id state, Id events) const {
    const Id id = steps_.find({events, state});
    return id == FlatMap::none ? nullptr : &seen_[id];
  }
  using Rewrite = std::function<Id(Id events)>;
  /// The state that it would have after rewritten events. `which`: a number for each `rewrite`.
  [[nodiscard]] Id image(Id state, std::size_t which, const Rewrite& rewrite);
  [[nodiscard]] std::string name() const { return std::string(property_.name); }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  /// Whether it counts time.
  [[nodiscard]] bool timed() const { return counts_time(property_, scenario_); }
  [[nodiscard]] static bool counts_time(const check::Property& property, const harness::Scenario& scenario) {
    return property.bound || check::clocks_read(property, scenario) != check::Property::Clocks::none;
  }

 private:
  struct State {
    Id parent;
    Duration by;
    Id events;
  };
  class MonitorRun;
  Id add(const MonitorRun& running, State state);
  [[nodiscard]] MonitorRun made(Id state) const;
  static constexpr std::size_t most_live = 4096;

  const harness::Scenario& scenario_;
  const EventLists& events_;
  const harness::Header& header_;
  const check::Property& property_;
  const check::Property::Clocks clocks_;  // that it reads
  const Numbers numbers_;
  Interner interner_;
  std::vector<State> states_;
  std::vector<std::unique_ptr<MonitorRun>> live_;  // the monitor in each of the first states
  FlatMap ages_, steps_, symmetric_states_;
  std::deque<MonitorStep> seen_;  // references stay good
};

class MonitorStates final : public PinnedObject {
 public:
  using Violations = std::vector<std::pair<std::string, std::string>>;
  static constexpr std::size_t most = 16;

  explicit MonitorStates(SharedContext& shared);
  /// The hosts of a scenario in a header, in the order of a world.
  [[nodiscard]] static std::vector<harness::Host> hosts_of(const harness::Scenario& scenario);
  /// Mutual exclusion: a search sees it in the traits of its hosts.
  [[nodiscard]] static bool is_trait(const check::Property& property) { return property.name == "mutual-exclusion"; }

  /// The properties that are judged here.
  [[nodiscard]] const std::vector<std::string>& judged() const { return judged_; }
  /// How many monitors there are.
  [[nodiscard]] std::size_t count() const { return watchers_.size(); }
  [[nodiscard]] Watcher& at(std::size_t monitor) { return *watchers_[monitor]; }
  [[nodiscard]] const Watcher& at(std::size_t monitor) const { return *watchers_[monitor]; }
  /// For tests of the search: the first monitor does not see what rows note.
  void deafen(bool is_deaf) { deaf_ = is_deaf; }
  [[nodiscard]] bool hears(std::size_t monitor) const { return !deaf_ || monitor != 0; }

 private:
  bool deaf_ = false;
  harness::Header header_;
  std::vector<std::string> judged_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
};

}  // namespace lockproof::sim
