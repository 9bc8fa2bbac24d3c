// SPDX-License-Identifier: Apache-2.0
// Where one message of Redis's protocol ends and the next begins.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockproof::real {

/// The largest size of a text, and number of items, in a message: the most that a Redis server sends.
inline constexpr long long announced_most = 512ll << 20;

/// Bytes of the first message in `bytes`; 0 if it is not complete yet, or never will be.
[[nodiscard]] std::size_t resp_size(std::string_view bytes);

}  // namespace lockproof::real
