// SPDX-License-Identifier: Apache-2.0
// Standstill: clients want the lock, no client has it, and for longer than a bound none gets it. With all servers up
// that breaks deadlock-freedom, with a minority of them down fault-tolerance.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/check/interest.hpp"
#include "harness/check/lock_key.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {

class Standstill final : public CopyableMonitor<Standstill> {
 public:
  enum class ServerCondition : std::uint8_t { all_servers_are_up, a_minority_is_down };
  Standstill(const harness::Header& header, const harness::Scenario& scenario, ServerCondition servers)
      : header_(header), scenario_(scenario), servers_(servers), key_(header, scenario) {}

  void see(std::size_t position, const harness::Event& event) override;
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding& into) const override;

 private:
  void apply(const harness::Event& event);
  void stop(const harness::Event& event, int change);
  [[nodiscard]] bool stands_still() const;
  /// Of which kind it is, is said of servers that are seen.
  [[nodiscard]] bool has_kinds() const { return header_.sees_servers && scenario_.permits() == 1; }
  [[nodiscard]] bool is_orphan(harness::HostIndex server, Duration at) const;
  /// `for_ever`: nothing will happen any more.
  [[nodiscard]] std::string kind(Duration at, bool for_ever) const;
  [[nodiscard]] int all_failed_twice() const;
  /// The first instant past the bound.
  [[nodiscard]] Duration over_at() const { return *since_ + *scenario_.progress + Duration(1); }
  [[nodiscard]] bool lasts(Duration at) const;
  [[nodiscard]] std::string why(const std::string& kind, Duration at) const;
  void find(std::size_t position, bool for_ever);

  const harness::Header& header_;
  const harness::Scenario& scenario_;
  const ServerCondition servers_;
  LockKey key_;
  Interest interest_;
  std::map<harness::HostIndex, int> stopped_;  // how many faults pause it, stop it or cut it off
  // The current standstill:
  std::optional<Duration> since_;
  std::size_t since_position_ = 0;
  bool found_it_ = false;
  int attempts_ = 0;  // failed attempts
  Duration last_attempt_{};
  Finding found_;
};

}  // namespace lockproof::check
