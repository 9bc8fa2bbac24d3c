// SPDX-License-Identifier: Apache-2.0
#include "harness/check/late_steps.hpp"

#include <algorithm>
#include <map>

#include "harness/scenario/fault.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

/// A fault without a heal lasts for the duration in its event; without a duration, for no time.
Duration end_of(const Event& strike) {
  const bool lasts = harness::stands_still(strike.word) || strike.word == "client-pause" || strike.word == "delay" ||
                     strike.word == "resend";
  return strike.at + Duration(lasts ? strike.value.value_or(0) : 0);
}

}  // namespace

std::vector<FaultSpan> faults_in(const harness::History& history) {
  std::vector<FaultSpan> faults;
  std::map<int, std::size_t> open;  // by the fault's number
  for (const Event& event : history.events) {
    if (event.what == What::strike) {
      open[event.fault] = faults.size();
      faults.push_back({event.host, event.peer, event.word, event.fault, event.at, end_of(event)});
    } else if (const auto found = open.find(event.fault); event.what == What::heal && found != open.end()) {
      faults[found->second].until = std::max(faults[found->second].until, event.at);
    }
  }
  return faults;
}

}  // namespace lockproof::check
