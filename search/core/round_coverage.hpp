// SPDX-License-Identifier: Apache-2.0
// RoundCoverage: which rounds of which clients have begun, in which the client was given the lock, and whether with a
// fencing token.
#pragma once

#include <set>
#include <utility>

#include "harness/history/event.hpp"

namespace lockproof::sim {

struct RoundCoverage {
  using Round = std::pair<harness::HostIndex, int>;  // client, number from 1

  std::set<Round> begun, granted;
  bool fenced = false;  // a grant carried a fencing token

  void see(const harness::Event& event) {
    if (event.what == harness::What::start) begun.insert({event.host, event.round});
    if (event.what == harness::What::granted) granted.insert({event.host, event.round});
    fenced |= event.fence.has_value();
  }
  void add(const RoundCoverage& more) {
    begun.insert(more.begun.begin(), more.begun.end());
    granted.insert(more.granted.begin(), more.granted.end());
    fenced |= more.fenced;
  }
};

}  // namespace lockproof::sim
