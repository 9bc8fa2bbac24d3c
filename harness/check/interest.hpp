// SPDX-License-Identifier: Apache-2.0
// Interest: which clients want the lock, are trying to get it, or have it, derived from what they do. A client wants
// the lock from the beginning of its round to a grant, its giving up, or its end. It has the lock from the grant to the
// end of its last release; a crashed client has nothing.
#pragma once

#include <set>

#include "harness/check/monitor.hpp"

namespace lockproof::check {

class Interest {
 public:
  /// Call for each event, in order.
  void see(const harness::Event& event);

  [[nodiscard]] const std::set<harness::HostIndex>& wanting() const { return wanting_; }
  [[nodiscard]] const std::set<harness::HostIndex>& holding() const { return holding_; }
  [[nodiscard]] const std::set<harness::HostIndex>& attempting() const { return attempting_; }

  void encode(MonitorEncoding& into) const;

 private:
  std::set<harness::HostIndex> wanting_, holding_, attempting_;
};

}  // namespace lockproof::check
