// SPDX-License-Identifier: Apache-2.0
// Probe: a client that comes to a quiescent place when all leases are over, and asks for the lock. If it cannot get it,
// nobody ever can: so deadlock-freedom is judged without a bound in time, as send_probe_clients does for points.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "search/zones/passed_list.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

class Probe final : public Sink {
 public:
  /// REQUIRES: the successors outlive the probe.
  explicit Probe(Successors& successors) : successors_(successors) {}

  /// Nothing: it was not found out. REQUIRES: the place is quiescent.
  [[nodiscard]] std::optional<bool> gets_it(const Place& place);

  void reach(Place place, std::string bytes, const Event& event) override;
  void violate(const Violation&, const Place&, const Event&) override {}
  void record(const Milestone& milestone) override { granted_ |= milestone.what == harness::What::granted; }

 private:
  Successors& successors_;
  PassedList passed_;
  std::deque<std::uint32_t> waiting_;
  bool granted_ = false;
};

}  // namespace lockproof::zones
