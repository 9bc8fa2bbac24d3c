// SPDX-License-Identifier: Apache-2.0
// Stop: how a search is ended from outside, at once and wherever it is. Another thread watches time and memory and
// requests the stop; the searching code checks a token before each operation that may take milliseconds.
#pragma once

#include <stop_token>

namespace lockproof::sim {

/// Thrown by the code that checks the token, and caught where it is known which work is left incomplete.
struct Stopped {};

inline void look_at(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Stopped();
}

}  // namespace lockproof::sim
