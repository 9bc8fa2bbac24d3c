// SPDX-License-Identifier: Apache-2.0
// Derives the effect of a real memcached's command on an item, for the history. The server's log says whether the item
// was found and whether one was stored; the client has recorded the command.
#pragma once

#include <optional>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::real {

/// The whole seconds that a server counts, by scenario time.
struct TickCount {
  Duration from{};  // the instant of one tick
  /// The time that an item given `ttl` at that instant has left, up to its last millisecond.
  [[nodiscard]] milliseconds left(seconds ttl, Duration at) const;
};

struct Outcome {
  bool found = false;    // an item with this key that had not expired was found
  bool expired = false;  // the item was found expired
  bool stored = false;
};

[[nodiscard]] std::vector<harness::Effect> effects_of(const Command& command, const Outcome& outcome, Duration at,
                                                      const TickCount& ticks);

}  // namespace lockproof::real
