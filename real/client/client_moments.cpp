// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_moments.hpp"

namespace lockproof::real {

Task<void> ClientMoments::come(harness::Act act) {
  Stand stand(*this, act);
  co_await stand;
}

bool ClientMoments::strike() {
  if (standing_.empty()) return false;
  Stand* const first = standing_.front();
  if (first->is_new()) {
    events_.happens(moment_of(first->act()), name(first->act()));
    if (standing_.empty() || standing_.front() != first) return true;
  }
  if (events_.stands_still()) return false;
  standing_.erase(standing_.begin());
  first->resume();
  return true;
}

}  // namespace lockproof::real
