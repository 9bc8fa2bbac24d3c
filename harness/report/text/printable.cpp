// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "harness/report/text/character.hpp"

namespace lockproof::harness {
namespace {

/// What does something instead of being seen, or may not stand in XML.
bool is_seen(std::uint32_t point) {
  const auto within = [&](std::uint32_t least, std::uint32_t most) { return point >= least && point <= most; };
  if (point < 0x20 || within(0x7f, 0x9f)) return false;
  if (within(0x200e, 0x200f) || within(0x2028, 0x202e) || within(0x2066, 0x2069)) return false;
  return point != 0xfffe && point != 0xffff;
}

std::string escaped(std::uint32_t point) {
  if (point == '\n') return "\\n";
  if (point == '\t') return "\\t";
  if (point == '\r') return "\\r";
  return point < 0x100 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
    if (next.bytes == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else {
      shown += is_seen(next.point) ? std::string(text.substr(0, bytes)) : escaped(next.point);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    shown += printable(text.substr(0, end)) + "\n";
  }
  return shown + printable(text);
}

std::string heading(const std::string& title, const std::string& name) {
  return printable(title.empty() ? name : title);
}

}  // namespace lockproof::harness
