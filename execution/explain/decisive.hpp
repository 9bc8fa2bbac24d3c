// SPDX-License-Identifier: Apache-2.0
// DecisiveEvent: the event after which a violation could no longer be averted. Before it some continuation without a
// further fault is safe; after it none of those that were tried is.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "harness/scenario/scenario.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::execution {

struct DecisiveEvent {
  bool known = false;
  std::string event;  // "client-1 stands still for 11 s as it enters"
  Duration at{};
  bool from_the_start = false;  // no continuation of the beginning was safe
  bool all_tried = true;        // each continuation after it was tried; else only `tried` of them
  std::uint64_t tried = 0;
};

/// Not known, if it is stopped. REQUIRES: the scenario's own run, with this seed, breaks the property in this kind.
[[nodiscard]] DecisiveEvent decisive_event(const harness::Scenario& scenario, std::uint64_t seed,
                                           const sim::ViolationKind& way, const std::stop_token& stop = {});

}  // namespace lockproof::execution
