// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_link.hpp"

#include <fmt/format.h>

#include <charconv>

namespace lockproof::real {
namespace {

bool take_number(std::string_view& line, std::int64_t& into) {
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), into);
  if (failed != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

}  // namespace

std::string to_text(const StruckMessage& m) { return fmt::format("{} {} {}", m.server, m.port, m.number); }

StruckMessage struck_message_from(std::string_view text) {
  std::string rest(text);
  rest += ' ';
  std::string_view numbers = rest;
  std::int64_t server = 0, port = 0, number = 0;
  if (!take_number(numbers, server) || !take_number(numbers, port) || !take_number(numbers, number)) return {};
  return {static_cast<int>(server), static_cast<int>(port), static_cast<int>(number)};
}

std::string to_line(const Notice& n) {
  return fmt::format("{} {} {} {}\n", static_cast<char>(n.kind), n.number, n.other, n.text);
}

std::optional<Notice> notice_from(std::string_view line) {
  if (line.size() < 2) return std::nullopt;
  Notice n{.kind = static_cast<Notice::Kind>(line[0]), .text = {}};
  line.remove_prefix(2);
  if (!take_number(line, n.number) || !take_number(line, n.other)) return std::nullopt;
  n.text = line;
  return n;
}

}  // namespace lockproof::real
