// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/monitor_line.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace lockproof::real {
namespace {

/// Takes what `until` ends, and the ending, off the text.
std::string_view take(std::string_view& text, std::string_view until) {
  const auto end = std::min(text.find(until), text.size());
  const auto taken = text.substr(0, end);
  text.remove_prefix(std::min(end + until.size(), text.size()));
  return taken;
}

/// A limit, so that a million times the number does not overflow.
constexpr std::int64_t number_most = 1'000'000'000'000;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (n < -number_most || n > number_most) return std::nullopt;
  return n;
}

char unescaped(char letter) {
  switch (letter) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'a': return '\a';
    case 'b': return '\b';
    default: return letter;
  }
}

/// A word in double quotes, escaped as Redis's sdscatrepr does.
std::optional<std::string> take_word(std::string_view& text) {
  if (text.empty() || text.front() != '"') return std::nullopt;
  std::string word;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return word;
    }
    if (text[i] != '\\' || i + 1 == text.size()) {
      word += text[i];
    } else if (text[i + 1] == 'x' && i + 3 < text.size()) {
      int byte = 0;
      std::from_chars(text.data() + i + 2, text.data() + i + 4, byte, 16);
      word += static_cast<char>(byte);
      i += 3;
    } else {
      word += unescaped(text[++i]);
    }
  }
  return std::nullopt;
}

std::string upper(const std::string& word) {
  std::string raised = word;
  for (char& c : raised) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return raised;
}

std::optional<milliseconds> time_in(const Value& word, milliseconds unit) {
  const auto n = number_in(word.bytes());
  if (!n) return std::nullopt;
  return *n * unit;
}

}  // namespace

std::optional<MonitorLine> monitor_line_from(std::string_view text) {
  MonitorLine line;
  const auto whole = number_in(take(text, "."));
  const auto micro = number_in(take(text, " ["));
  if (!whole || !micro) return std::nullopt;
  line.stamp_us = *whole * 1'000'000 + *micro;
  line.database = static_cast<int>(number_in(take(text, " ")).value_or(0));
  const std::string_view origin = take(text, "] ");
  line.address = origin;
  if (const auto colon = origin.rfind(':'); colon != std::string_view::npos) {
    line.port = static_cast<int>(number_in(origin.substr(colon + 1)).value_or(-1));
  }
  while (!text.empty()) {
    const auto word = take_word(text);
    if (!word) return std::nullopt;
    line.words.emplace_back(*word);
    if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  if (line.words.empty()) return std::nullopt;
  return line;
}

std::optional<milliseconds> ttl_in(const std::vector<Value>& words) {
  const std::string verb = upper(words.front().bytes());
  const milliseconds second{1000};
  const milliseconds millisecond{1};
  if (words.size() >= 3 && (verb == "EXPIRE" || verb == "SETEX")) return time_in(words[2], second);
  if (words.size() >= 3 && (verb == "PEXPIRE" || verb == "PSETEX")) return time_in(words[2], millisecond);
  if (verb != "SET" && verb != "GETEX") return std::nullopt;
  for (std::size_t i = verb == "SET" ? 3 : 2; i + 1 < words.size(); ++i) {
    const std::string option = upper(words[i].bytes());
    if (option == "EX") return time_in(words[i + 1], second);
    if (option == "PX") return time_in(words[i + 1], millisecond);
  }
  return std::nullopt;
}

}  // namespace lockproof::real
