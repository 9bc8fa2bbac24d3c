// SPDX-License-Identifier: Apache-2.0
#include "real/program/lock_view.hpp"

#include <algorithm>
#include <functional>

namespace lockproof::real {

using harness::Change;

void LockView::see(const KeyWatch::Look& look, const std::string& key, harness::HostIndex client, Duration sent) {
  const harness::HostIndex before = owner_;
  bool renewed = false;
  for (const harness::Effect& effect : look.effects) {
    if (effect.key != key) continue;
    switch (effect.change) {
      case Change::acquired: owner_ = client; [[fallthrough]];
      case Change::renewed: renewed = true; break;
      case Change::changed:
        if (owner_ == harness::no_host) owner_ = client, renewed = true;
        break;
      case Change::released:
      case Change::expired:
      case Change::evicted: owner_ = harness::no_host; break;
    }
  }
  if (!look.there) owner_ = harness::no_host;
  if (owner_ != before) since_ = sent;
  if (owner_ == harness::no_host) until_.reset();
  if (!renewed || owner_ == harness::no_host) return;
  until_ = look.ttl ? std::optional(sent + Duration(*look.ttl)) : std::nullopt;
}

Entitlement entitlement(const std::vector<const LockView*>& masters, harness::HostIndex client) {
  constexpr Duration for_ever = Duration::max();
  std::vector<Duration> ends;
  for (const LockView* view : masters) {
    if (view->owner() == client) ends.push_back(view->until().value_or(for_ever));
  }
  const std::size_t majority = masters.size() / 2 + 1;
  if (ends.size() < majority) return {};
  std::ranges::sort(ends, std::greater{});
  const Duration end = ends[majority - 1];
  return {true, end == for_ever ? std::nullopt : std::optional(end)};
}

}  // namespace lockproof::real
