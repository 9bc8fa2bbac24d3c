// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_moments.hpp"

namespace lockproof::real {

Task<void> ClientMoments::come(harness::Act act) {
  Stand stand(*this, name(act));
  co_await stand;
}

bool ClientMoments::strike() {
  if (standing_.empty()) return false;
  const Stand* const first = standing_.front();
  journal_.happens(harness::When::Moment::before, first->act());
  if (!standing_.empty() && standing_.front() == first) {
    Stand* const goes_on = standing_.front();
    standing_.erase(standing_.begin());
    goes_on->resume();
  }
  return true;
}

}  // namespace lockproof::real
