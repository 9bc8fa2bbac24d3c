// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/resp.hpp"

#include <charconv>
#include <optional>

namespace lockproof::real {
namespace {

/// The size that a line announces behind its type; nothing if it is not a number, or not a possible one.
std::optional<std::size_t> announced(std::string_view digits) {
  long long count = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (failed != std::errc() || end != digits.data() + digits.size() || count > announced_most) return std::nullopt;
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace

/// Nested arrays are counted and not descended into: the sender decides how deep they are.
std::size_t resp_size(std::string_view bytes) {
  std::size_t size = 0;
  for (std::size_t left = 1; left > 0; --left) {
    const std::size_t end_of_line = bytes.find("\r\n", size);
    if (end_of_line == std::string_view::npos || end_of_line == size) return 0;
    const char type = bytes[size];
    const std::string_view line = bytes.substr(size + 1, end_of_line - size - 1);
    size = end_of_line + 2;
    const bool text = type == '$' || type == '=' || type == '!';
    const bool items = type == '*' || type == '>' || type == '~' || type == '%' || type == '|';
    if (!text && !items) continue;
    const std::optional<std::size_t> count = announced(line);
    if (!count) return 0;
    if (items) left += type == '%' || type == '|' ? 2 * *count : *count;
    if (type == '|') ++left;  // an attribute stands before what it says something of
    if (items || line.starts_with('-')) continue;
    if (bytes.size() - size < *count + 2) return 0;
    size += *count + 2;
  }
  return size;
}

}  // namespace lockproof::real
