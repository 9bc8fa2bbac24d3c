// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace lockproof::execution {

/// "2026-01-31 23:59:59.123 UTC", of microseconds since 1970.
[[nodiscard]] std::string time_of_day(std::int64_t us);

}  // namespace lockproof::execution
