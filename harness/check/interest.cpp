// SPDX-License-Identifier: Apache-2.0
#include "harness/check/interest.hpp"

namespace lockproof::check {

using harness::What;

void Interest::see(const harness::Event& event) {
  switch (event.what) {
    case What::start: wanting_.insert(event.host); return;
    case What::attempt: attempting_.insert(event.host); return;
    case What::busy:
    case What::failed: attempting_.erase(event.host); return;
    case What::granted:
      attempting_.erase(event.host);
      wanting_.erase(event.host);
      holding_.insert(event.host);
      return;
    case What::released:
      if (!event.value) holding_.erase(event.host);
      return;
    case What::gave_up: wanting_.erase(event.host); return;
    case What::strike:
      if (event.word != "crash" && event.word != "kill-task") return;
      wanting_.erase(event.host);
      holding_.erase(event.host);
      attempting_.erase(event.host);
      return;
    default: return;
  }
}

void Interest::encode(MonitorEncoding& into) const {
  for (const auto* clients : {&wanting_, &holding_, &attempting_}) {
    into.numbers.push_back(-1);
    into.numbers.insert(into.numbers.end(), clients->begin(), clients->end());
  }
}

}  // namespace lockproof::check
