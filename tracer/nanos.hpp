// SPDX-License-Identifier: Apache-2.0
// Virtual time of a traced world, in nanoseconds since its start.
#pragma once

#include <cstdint>

namespace lockproof::tracer {

using Nanos = std::int64_t;

inline constexpr Nanos microsecond = 1'000, millisecond = 1'000'000, second = 1'000'000'000;
/// What the wall clock shows when the world starts: 2023-11-14 22:13:20 UTC.
inline constexpr Nanos epoch = 1'700'000'000 * second;
/// What the monotonic clock shows then.
inline constexpr Nanos uptime = 100 * second;
inline constexpr Nanos never = INT64_MAX;

}  // namespace lockproof::tracer
