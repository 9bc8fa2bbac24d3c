// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace lockproof::real {

/// The number that the whole text represents; nothing: it is not a number.
template <class Integer>
std::optional<Integer> number_in(std::string_view text) {
  Integer n{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace lockproof::real
