// SPDX-License-Identifier: Apache-2.0
// WhoseLock: whose the lock is, as each server has it, for events that are named by it: "client-1 before SET free".
#pragma once

#include <map>

#include "harness/check/lock_key.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/workload/life.hpp"

namespace lockproof::sim {

class WhoseLock {
 public:
  /// A fault of the scenario is placed, or ends, by whose the lock is.
  [[nodiscard]] static bool is_asked(const harness::Scenario& scenario);

  WhoseLock(const harness::Header& header, const harness::Scenario& scenario) : key_(header, scenario) {}

  /// Call for each event, in order.
  void see(const harness::Event& event);
  /// Whose it is at a server, as this client would say that lives so.
  [[nodiscard]] harness::EventPlace::LockState at(harness::HostIndex server, harness::HostIndex client,
                                                  const harness::Life& life, Duration now) const;

 private:
  check::LockKey key_;
  std::map<harness::HostIndex, Duration> asked_;  // when each client's last attempt began
};

}  // namespace lockproof::sim
