// SPDX-License-Identifier: Apache-2.0
// Not vacuous: a run in which nobody acquired the lock, in which nobody else wanted it meanwhile, or whose faults and
// steps did not happen has shown nothing, whatever the other properties say.
#include <fmt/format.h>

#include <set>

#include "harness/check/properties.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

/// Somebody asked while somebody else was asking or inside.
bool contended(const harness::History& history) {
  std::set<harness::HostIndex> interested;
  for (const Event& event : history.events) {
    switch (event.what) {
      case What::busy: return true;
      case What::attempt:
        interested.insert(event.host);
        if (interested.size() > 1) return true;
        break;
      case What::failed:
      case What::exit: interested.erase(event.host); break;
      default: break;
    }
  }
  return false;
}

}  // namespace

Finding not_vacuous(const harness::History& history, const harness::Scenario& scenario) {
  const auto vacuous = [](const std::string& what) { return Finding{"", Verdict::violated, "", what, {}}; };
  bool acquired = false;
  std::set<int> struck;
  for (const Event& event : history.events) {
    acquired |= event.what == What::enter;
    if (event.what == What::strike) struck.insert(event.fault);
    if (event.what == What::unmet)
      return vacuous(fmt::format("a [[step]] of the scenario never happened: {}", event.word));
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (struck.contains(static_cast<int>(i) + 1)) continue;
    const harness::Fault& fault = scenario.faults[i];
    return vacuous(fmt::format("the {} of {} (line {}) never struck: {} did not happen", harness::name(fault.kind),
                               fault.target, fault.line,
                               fault.at ? harness::to_text(*fault.at) : harness::to_text(*fault.when)));
  }
  if (!acquired) return vacuous("nobody ever acquired the lock");
  if (!contended(history)) return vacuous("no two clients ever wanted the lock at once");
  return {};
}

}  // namespace lockproof::check
