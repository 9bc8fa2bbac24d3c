// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4), by which Redis names scripts. It is not used for security.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

/// 40 lower-case hexadecimal digits.
[[nodiscard]] std::string sha1_hex(std::string_view bytes);

}  // namespace lockproof::harness
