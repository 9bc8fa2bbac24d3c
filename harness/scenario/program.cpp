// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/program.hpp"

#include <filesystem>

namespace lockproof::harness {

/// The last word that is a file, else the program itself.
std::string name_of(const ProgramSpec& program) {
  for (auto word = program.command.rbegin(); word != program.command.rend(); ++word) {
    std::error_code none;  // a word may be longer than any path
    if (std::filesystem::is_regular_file(*word, none)) return std::filesystem::path(*word).filename().string();
  }
  return program.command.empty() ? "" : program.command.front();
}

std::vector<std::string> words_of_command(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return {};
  return words;
}

}  // namespace lockproof::harness
