// SPDX-License-Identifier: Apache-2.0
// Monitors: the product's own monitors in a search by zones, each as a number of its state. Most of them count no time:
// whatever of time matters to them, a lock or a server has been asked before, and is in the events. For those that have
// a bound in time there is TimedWatcher.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "search/state_space/monitor_states.hpp"
#include "search/zones/payloads.hpp"
#include "search/zones/timed_watcher.hpp"

namespace lockproof::zones {

class Monitors : public PinnedObject {
 public:
  using Violation = std::pair<std::string_view, std::string_view>;  // property and kind

  /// REQUIRES: the scenario outlives the monitors.
  explicit Monitors(const harness::Scenario& scenario);

  /// The properties that they judge.
  [[nodiscard]] const std::vector<std::string>& judged() const { return judged_; }
  [[nodiscard]] std::vector<Id> initial() const { return std::vector<Id>(watchers_.size(), 0); }
  /// The events of all steps.
  [[nodiscard]] sim::EventLists& events() { return events_; }

  /// Each monitor sees the events. `states`: of each, and from then on the next one; none: nobody looks.
  [[nodiscard]] std::vector<Violation> show(std::span<Id> states, Id events);
  /// Those that count time.
  [[nodiscard]] std::size_t timed_count() const { return timed_.size(); }
  [[nodiscard]] TimedWatcher& timed(std::size_t monitor) { return *timed_[monitor]; }

  // Lists of one event. `of_resource`: the resource in the place of the server.
  // `number`, `numbers`: of commands, see Watcher::Numbers::given.
  [[nodiscard]] Id sending(std::size_t client, bool of_resource, int number);
  [[nodiscard]] Id losing(std::size_t client, bool of_resource, std::vector<int> numbers);
  /// A fault strikes a client, or the server, with effects on its keys.
  [[nodiscard]] Id striking(std::optional<std::size_t> client, harness::FaultKind kind,
                            std::vector<harness::Effect> effects);
  /// A fault of a host begins or ends that keeps it from taking part, for the monitors that count time.
  [[nodiscard]] Id holding_up(harness::What what, std::optional<std::size_t> client, harness::FaultKind kind,
                              harness::HostIndex peer = harness::no_host);
  [[nodiscard]] Id executing(std::size_t client, bool of_resource, const Command& command, const Reply& reply,
                             std::vector<harness::Effect> effects, int number);

 private:
  [[nodiscard]] Id with_number(Id events, int number);
  [[nodiscard]] harness::HostIndex server(bool of_resource) const {
    return static_cast<harness::HostIndex>(of_resource ? header_.hosts.size() - 1 : clients_);
  }

  const std::size_t clients_;
  harness::Header header_, header_of_timed_;
  sim::EventLists events_;
  std::vector<std::string> judged_;
  std::vector<std::string_view> names_;
  std::vector<std::unique_ptr<sim::Watcher>> watchers_;
  std::vector<std::unique_ptr<TimedWatcher>> timed_;
};

}  // namespace lockproof::zones
