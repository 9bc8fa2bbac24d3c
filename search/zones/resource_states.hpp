// SPDX-License-Identifier: Apache-2.0
// ResourceStates: the resource that the lock protects as a function of the commands that arrive. The register itself
// runs each of them, once.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "harness/workload/register.hpp"
#include "search/zones/payloads.hpp"

namespace lockproof::zones {

class ResourceStates {
 public:
  struct Step {
    Id state, reply;
  };

  /// REQUIRES: the payloads outlive the states.
  ResourceStates(harness::Fencing fencing, Payloads& payloads)
      : payloads_(payloads), states_{harness::Register(fencing)} {}

  /// The first state is 0. `command`: the number of its payload.
  const Step& step(Id state, Id command);

 private:
  Payloads& payloads_;
  std::vector<harness::Register> states_;
  std::map<std::pair<Id, Id>, Step> steps_;
};

}  // namespace lockproof::zones
