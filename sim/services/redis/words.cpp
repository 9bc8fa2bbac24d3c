// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/words.hpp"

#include <algorithm>
#include <charconv>

namespace lockproof::sim::redis {

std::optional<std::int64_t> integer(const Value& word) {
  const std::string& s = word.bytes();
  std::int64_t n = 0;
  const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), n);
  const bool canonical = s == "0" || (!s.empty() && s[s[0] == '-' ? 1 : 0] != '0');
  if (failed != std::errc() || end != s.data() + s.size() || !canonical) return std::nullopt;
  return n;
}

bool is_word(const Value& word, std::string_view upper) {
  return std::ranges::equal(word.bytes(), upper,
                            [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lowered;
}

std::string upper(std::string_view text) {
  std::string raised(text);
  std::ranges::transform(raised, raised.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return raised;
}

Value stamp_word(std::int64_t ms) { return Value(std::to_string(ms), Value::Mark::stamp); }

std::string one_line(std::string text) {
  const std::size_t first = text.find_first_not_of("\r\n"), last = text.find_last_not_of("\r\n");
  if (first == std::string::npos) return {};
  text = text.substr(first, last - first + 1);
  std::ranges::replace_if(
      text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

}  // namespace lockproof::sim::redis
