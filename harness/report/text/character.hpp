// SPDX-License-Identifier: Apache-2.0
// Character: one of UTF-8 text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockproof::harness {

struct Character {
  std::uint32_t point = 0;
  std::size_t bytes = 0;  // 0: this is no UTF-8
};

/// The first one of a text that is not empty. Overlong forms, surrogates and what is beyond Unicode are none.
[[nodiscard]] Character first_character(std::string_view text);

}  // namespace lockproof::harness
