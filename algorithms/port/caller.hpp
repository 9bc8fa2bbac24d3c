// SPDX-License-Identifier: Apache-2.0
// Caller: what a lock knows of the client that uses it, as its first round begins. It is the same for the lock's life,
// unless several clients use one lock object; see Lock::turn_to.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockproof {

/// What a client wants the lock for: several clients may be inside a shared one together, and none beside an exclusive
/// one.
enum class Mode : std::uint8_t { exclusive, shared };

struct Caller {
  std::string_view name{};  // it outlives the lock
  Mode mode = Mode::exclusive;
};

}  // namespace lockproof
