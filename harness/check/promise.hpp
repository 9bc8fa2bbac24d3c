// SPDX-License-Identifier: Apache-2.0
// Promise: until when, by its own clock, a client may believe that the lock is its own; see "entitled" in
// docs/semantics/properties.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/check/host_clocks.hpp"

namespace lockproof::check {

/// What it means that a client enters while another one is inside: `double-grant` if both are entitled at that instant,
/// else `outlived`.
[[nodiscard]] constexpr const char* kind_of_overlap(bool both_are_entitled) {
  return both_are_entitled ? "double-grant" : "outlived";
}

struct Promise {
  std::optional<std::int64_t> deadline;  // by `clock`, in microseconds; nothing: until it is notified of a loss
  std::string clock;
  bool notified_of_loss = false;

  /// Moves the deadline, if there is one, at the client's `granted` and `renewed` events.
  void renew(const harness::Event& event, const HostClocks& clocks) {
    if (!event.left) return;
    clock = event.left->clock;
    deadline = clocks.shown(event.host, clock, event.at) + event.left->time.count();
  }
  [[nodiscard]] bool good(harness::HostIndex client, Duration at, const HostClocks& clocks) const {
    return !notified_of_loss && (!deadline || clocks.shown(client, clock, at) < *deadline);
  }
};

}  // namespace lockproof::check
