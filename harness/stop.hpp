// SPDX-License-Identifier: Apache-2.0
// Stop: how a search is ended from outside, at once and wherever it is. Another thread watches time and memory and
// requests the stop; the searching code checks a token before each operation that may take milliseconds.
#pragma once

#include <atomic>
#include <stop_token>

namespace lockproof::harness {

/// Thrown by the code that checks the token, and caught where it is known which work is left incomplete.
struct Cancellation {};

inline void look_at(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancellation();
}

/// What ends a single operation that takes long: somebody's code in Lua, which may run for minutes between two looks
/// at a token. It is one for the process, as a signal is. Null: nothing does.
inline std::atomic<const std::stop_source*> ends_long_operations{nullptr};

[[nodiscard]] inline bool long_operation_must_end() {
  const std::stop_source* const source = ends_long_operations;
  return source && source->stop_requested();
}

}  // namespace lockproof::harness

namespace lockproof::sim {
using harness::Cancellation;
using harness::look_at;
}  // namespace lockproof::sim
