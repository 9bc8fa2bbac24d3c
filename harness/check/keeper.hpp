// SPDX-License-Identifier: Apache-2.0
// Keeper: where it is noted whose the lock is. Each server keeps locks of its own, but the servers of an ensemble keep
// one together, which is noted at the first of them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::check {

class Keeper {
 public:
  Keeper(const harness::Header& header, const harness::Scenario& scenario) {
    if (!scenario.ensemble) return;
    const auto first = std::ranges::find(header.hosts, harness::HostKind::server, &harness::Host::kind);
    first_ = static_cast<harness::HostIndex>(first - header.hosts.begin());
    last_ = first_ + static_cast<harness::HostIndex>(scenario.servers.size()) - 1;
  }
  [[nodiscard]] harness::HostIndex of(harness::HostIndex host) const {
    return first_ <= host && host <= last_ ? first_ : host;
  }

 private:
  harness::HostIndex first_ = 0, last_ = -1;
};

}  // namespace lockproof::check
