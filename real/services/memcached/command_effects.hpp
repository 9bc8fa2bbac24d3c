// SPDX-License-Identifier: Apache-2.0
// What became of an item by a command that a real memcached ran, for the history. Its log says whether the item was
// found and whether one was stored, and the client has written down the command.
#pragma once

#include <optional>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::real {

/// The whole seconds that a server counts, by scenario time.
struct TickCount {
  Duration from{};  // the instant of one tick
  /// Until the last millisecond of what is given so many seconds at that instant.
  [[nodiscard]] milliseconds left(seconds ttl, Duration at) const;
};

struct Outcome {
  bool found = false;    // an item of this key, whose time was not over
  bool expired = false;  // it was found to be over
  bool stored = false;
};

[[nodiscard]] std::vector<harness::Effect> effects_of(const Command& command, const Outcome& outcome, Duration at,
                                                      const TickCount& ticks);

}  // namespace lockproof::real
