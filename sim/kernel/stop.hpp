// SPDX-License-Identifier: Apache-2.0
// Stop: how a search is ended from outside, at once and wherever it is. Somebody else looks after the time and the
// memory; who works looks at a token, before each thing that may take milliseconds.
#pragma once

#include <stop_token>

namespace lockproof::sim {

/// Thrown by who works, and caught by who knows what is left undone by that.
struct Stopped {};

inline void look_at(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Stopped();
}

}  // namespace lockproof::sim
