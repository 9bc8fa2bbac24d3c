// SPDX-License-Identifier: Apache-2.0
#include "harness/program/last_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "harness/program/said.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t words_most = 300;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// Lines of a stack are indented.
bool names_error(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') return false;
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : {"error", "exception", "panic", "fatal"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string last_words(std::string_view errors) {
  const std::vector<std::string_view> lines = lines_of(errors);
  if (lines.empty()) return "";
  const auto found = std::find_if(lines.rbegin(), lines.rend(), names_error);
  const auto line = found == lines.rend() ? lines.end() - 1 : found.base() - 1;
  std::string words(*line);
  if (line->ends_with(':') && line + 1 != lines.end()) {
    const std::string_view below = *(line + 1);
    words += fmt::format(" {}", below.substr(std::min(below.find_first_not_of(" \t"), below.size())));
  }
  return fmt::format("; its last words: {}", shown(words, words_most));
}

}  // namespace lockproof::harness
