// SPDX-License-Identifier: Apache-2.0
// AskingRule: the instants at which a client asks that wants the lock and may choose when. Whether a request comes
// before or after something that happens elsewhere can only change at an instant at which something is due; so it is
// enough to ask so that the request, or what follows it, arrives at such instants. docs/semantics/asking.md has the
// rule, docs/decisions/03 says what is proven about it and what is tested.
#pragma once

#include <optional>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/world/clocks.hpp"

namespace lockproof::sim {

/// The part of a state that the rule reads. Instants are counted from now; past ones do not matter.
struct Outlook {
  /// When events happen, as far as known now: messages arrive, timers end, faults end.
  std::vector<Duration> events{};
  /// When something expires by a clock that may not be read then: leases, deadlines, stamps.
  std::vector<Duration> readings{};
  std::vector<Duration> arrivals{};  // of all messages between clients and servers
  std::vector<Duration> ends{};      // when causes of delayed replies end: pauses and down times of servers, partitions
  std::vector<Duration> wakes{};     // when clients go on that are paused
  /// The same two, for what follows from events that are due within AskingRule::reach after the next event.
  std::vector<Duration> future{};
  std::optional<Duration> next{};        // the next event; nothing: none will come
  std::vector<Recurrence> ticks{};       // ticks of servers that count leases in ticks
  std::vector<Duration> milliseconds{};  // how far each server's wall clock is in its millisecond now
};

/// Sorts the instants and removes duplicates.
void sort_once(std::vector<Duration>& instants);

class AskingRule {
 public:
  /// REQUIRES: both outlive the rule. `bounds` may be null.
  AskingRule(const harness::Scenario& scenario, const harness::Bounds* bounds);

  /// Whether any client asks freely.
  [[nodiscard]] bool applies() const { return applies_; }
  /// Whether it matters that a client has sent nothing yet: it asks when it likes, and servers may end its connections.
  [[nodiscard]] bool minds_first_contact() const { return minds_first_contact_; }
  /// How far behind the next event instants matter.
  [[nodiscard]] Duration reach() const { return reach_; }
  /// The asking instants, from now and not after the next event, in order. `counts`: how often each kind of the budget
  /// has struck.
  [[nodiscard]] std::vector<Duration> instants(const Outlook& outlook, const std::vector<int>& counts) const;

 private:
  void add_ways(int least, int most, Duration after, std::vector<Duration>& into) const;
  [[nodiscard]] std::vector<Duration> releases() const;
  [[nodiscard]] std::vector<Duration> late_answers(const std::vector<Duration>& ends) const;
  [[nodiscard]] std::vector<Duration> outages_left(const std::vector<int>& counts) const;
  void add(std::vector<Duration>& into, std::vector<Duration>& causes, const std::vector<Duration>& clocks,
           Duration last) const;
  [[nodiscard]] bool can_strike(std::size_t entry, const std::vector<int>& counts) const;
  [[nodiscard]] bool clocks_change(const std::vector<int>& counts) const;
  [[nodiscard]] std::vector<Duration> jumps_left(const std::vector<int>& counts) const;
  void add_ticks(std::vector<Duration>& into, const std::vector<Recurrence>& ticks, Duration last) const;
  [[nodiscard]] std::vector<Duration> each_of_the_grid(const Outlook& outlook) const;

  const harness::Scenario& scenario_;
  const harness::Bounds* const bounds_;
  const bool applies_;
  bool minds_first_contact_ = false;
  std::vector<Duration> ways_;  // the possible latencies of so many messages in sequence
  Duration reach_{};
};

}  // namespace lockproof::sim
