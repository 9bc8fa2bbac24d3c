// SPDX-License-Identifier: Apache-2.0
#include "cli/options/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>

namespace lockproof::cli {

std::function<std::string(const std::string&)> whole_number(std::uint64_t least, std::uint64_t most) {
  return [=](const std::string& text) {
    std::uint64_t n = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool octal = text.size() > 1 && text.front() == '0';  // to CLI11; people mean another number
    const bool whole = !octal && failed == std::errc() && end == text.data() + text.size();
    if (whole && n >= least && n <= most) return std::string();
    return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
  };
}

}  // namespace lockproof::cli
