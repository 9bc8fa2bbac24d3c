// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text/printable.hpp"

namespace lockproof::harness {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

std::string escaped(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\'' || c == '\\') return std::string("\\") + c;
  return byte < 0x20 || byte > 0x7e ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  if (const std::string shown = printable(word); shown != word) {
    std::string quoted = "$'";
    for (const char c : word) quoted += escaped(c);
    return quoted + "'";
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace lockproof::harness
