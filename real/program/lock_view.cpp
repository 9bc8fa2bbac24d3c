// SPDX-License-Identifier: Apache-2.0
#include "real/program/lock_view.hpp"

namespace lockproof::real {

using harness::Change;

void LockView::see(const KeyWatch::Look& look, const std::string& key, harness::HostIndex client, Duration sent) {
  const harness::HostIndex before = owner_;
  for (const harness::Effect& effect : look.effects) {
    if (effect.key != key) continue;
    switch (effect.change) {
      case Change::acquired: owner_ = client; break;
      case Change::renewed: break;
      case Change::changed:
        if (owner_ == harness::no_host) owner_ = client;
        break;
      case Change::released:
      case Change::expired:
      case Change::evicted: owner_ = harness::no_host; break;
    }
  }
  if (!look.there) owner_ = harness::no_host;
  if (owner_ != before) since_ = sent;
}

}  // namespace lockproof::real
