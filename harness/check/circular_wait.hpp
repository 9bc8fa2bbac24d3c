// SPDX-License-Identifier: Apache-2.0
// CircularWait: clients wait in a ring, each for a lock that the next one has, for longer than [judge] progress. It is
// a kind of violation of deadlock-freedom, of scenarios with locks of several names. Coffman, Elphick and Shoshani,
// "System deadlocks", 1971.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/check/interest.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {

class CircularWait final : public Copyable<CircularWait> {
 public:
  CircularWait(const harness::Header& header, const harness::Scenario& scenario);

  void see(std::size_t position, const harness::Event& event) override;
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding& into) const override;

 private:
  struct Link {
    harness::HostIndex client, holder;
    std::string lock;  // which the one wants and the other has
  };
  using Ring = std::vector<Link>;
  [[nodiscard]] Ring ring() const;
  [[nodiscard]] std::optional<Link> link_of(harness::HostIndex client) const;
  void find(std::size_t position, Duration at);

  const harness::Header& header_;
  const harness::Scenario& scenario_;
  std::map<std::string, Interest> locks_;     // by name
  std::map<harness::HostIndex, int> rounds_;  // of each client, the current one
  std::optional<Duration> since_;             // of the ring that there is
  std::size_t since_position_ = 0;
  bool found_it_ = false;
  Finding found_;
};

}  // namespace lockproof::check
