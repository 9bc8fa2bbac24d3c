// SPDX-License-Identifier: Apache-2.0
// Digest: whether two texts are the same, and whether one was damaged on its way. Nobody is kept from making another
// text of the same digest.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

/// 64 bits in hexadecimal.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace lockproof::harness
