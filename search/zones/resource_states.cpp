// SPDX-License-Identifier: Apache-2.0
#include "search/zones/resource_states.hpp"

#include <algorithm>

namespace lockproof::zones {

const ResourceStates::Step& ResourceStates::step(Id state, Id command) {
  const auto [known, is_new] = steps_.try_emplace({state, command});
  if (!is_new) return known->second;
  harness::Register next = states_[state];
  const Id reply = payloads_.add(next.execute(payloads_.command(command)));
  const auto equal = std::ranges::find_if(states_, [&](const harness::Register& one) {
    return one.version() == next.version() && one.newest_token() == next.newest_token() &&
           one.last_period() == next.last_period();
  });
  const auto id = static_cast<Id>(equal - states_.begin());
  if (equal == states_.end()) states_.push_back(next);
  return known->second = {id, reply};
}

}  // namespace lockproof::zones
