// SPDX-License-Identifier: Apache-2.0
// Monitor: a property judged event by event. A search needs this form: two schedules that reach the same state of the
// world are one only if the monitors are in the same state too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/check/properties.hpp"

namespace lockproof::check {

/// Whether more than so much time lies between two instants of a history. Monitors ask this, and compute nothing with
/// instants: in a search in which an instant is a name, the answer is that of the search.
[[nodiscard]] inline bool is_longer(Duration from, Duration to, Duration than) {
  using WorldTime = Instant<struct WorldTimeTag>;
  return InstantAccess::make<WorldTime>((from + than).count()) < InstantAccess::make<WorldTime>(to.count());
}

/// Writes a monitor's state without absolute times and message numbers.
struct MonitorEncoding {
  Duration now;
  /// Whether a command of this client to this server may still run. Notes about commands that cannot run any more are
  /// dropped.
  std::function<bool(harness::HostIndex client, harness::HostIndex server, int number)> in_flight;
  /// How many commands the client has sent to the server after this one.
  std::function<int(harness::HostIndex client, harness::HostIndex server, int number)> distance;
  std::vector<std::int64_t> numbers;
  /// In a search in which an instant is a name: the number of that name.
  std::function<std::int64_t(Duration then)> number_of{};

  /// What tells an instant of the past from others: how long ago it was, cut off at `most`; or its name.
  [[nodiscard]] std::int64_t age(Duration then, Duration most) const {
    return number_of ? number_of(then) : std::min(now - then, most).count();
  }
};

class Monitor {
 public:
  virtual ~Monitor() = default;
  Monitor& operator=(const Monitor&) = delete;
  /// Another one in the same state.
  [[nodiscard]] virtual std::unique_ptr<Monitor> copy() const = 0;
  /// The next event of the history, at this position.
  virtual void see(std::size_t position, const harness::Event& event) = 0;
  /// What was found so far, or since `forget`. It changes nothing about what will be found.
  [[nodiscard]] virtual Finding finding() const = 0;
  virtual void forget() = 0;
  /// Adds everything that determines what it will find later.
  virtual void encode(MonitorEncoding& into) const = 0;

 protected:
  Monitor() = default;
  Monitor(const Monitor&) = default;
};

/// A monitor whose members' copies make a copy of it.
template <class Self>
class CopyableMonitor : public Monitor {
 public:
  [[nodiscard]] std::unique_ptr<Monitor> copy() const final {
    return std::make_unique<Self>(static_cast<const Self&>(*this));
  }
};

using MakeMonitor = std::unique_ptr<Monitor> (*)(const harness::Header&, const harness::Scenario&);

std::unique_ptr<Monitor> watch_mutual_exclusion(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_resource_safety(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_owner_release(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_bounded_takeover(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_deadlock_freedom(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_fault_tolerance(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_starvation_freedom(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_re_entrancy(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_loss_notification(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_availability(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_once_per_period(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_fencing_order(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_answers(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_survives(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_every_round_enters(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_leadership_settles(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_hand_over_cause(const harness::Header&, const harness::Scenario&);
std::unique_ptr<Monitor> watch_grant_is_valid(const harness::Header&, const harness::Scenario&);

/// A monitor for each property that has one and is judged here, in the order of properties_of(scenario); null
/// for the others.
[[nodiscard]] std::vector<std::unique_ptr<Monitor>> monitors(const harness::Header&, const harness::Scenario&);

/// Shows a monitor a whole history.
[[nodiscard]] Finding judge_with(MakeMonitor make, const harness::History& history, const harness::Scenario& scenario);

}  // namespace lockproof::check
