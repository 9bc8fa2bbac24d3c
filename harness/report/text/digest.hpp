// SPDX-License-Identifier: Apache-2.0
// Digest: whether two texts are the same, and whether one was damaged on its way. It is not
// cryptographic: a different text with the same digest can be constructed.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

/// 64 bits in hexadecimal.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace lockproof::harness
