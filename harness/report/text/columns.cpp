// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/columns.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "harness/report/text/character.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t deeper = 2, of_commands = 4;

/// One character, or an escape sequence.
struct Glyph {
  std::size_t bytes = 1, columns = 1;
};

std::size_t columns_of(std::uint32_t point) {
  const auto within = [&](std::uint32_t least, std::uint32_t most) { return point >= least && point <= most; };
  const bool combines = within(0x300, 0x36f) || within(0x200b, 0x200d) || within(0xfe00, 0xfe0f);
  if (point < 0x20 || combines) return 0;
  const bool wide = within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) ||
                    within(0xf900, 0xfaff) || within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) ||
                    within(0xffe0, 0xffe6) || within(0x1f300, 0x1faff) || within(0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

Glyph first_glyph(std::string_view text) {
  if (text.starts_with("\x1b[")) {
    const std::size_t end = text.find('m');
    return {end == std::string_view::npos ? text.size() : end + 1, 0};
  }
  const Character next = first_character(text);
  return next.bytes == 0 ? Glyph{} : Glyph{next.bytes, columns_of(next.point)};
}

/// Bytes of the beginning that fits into so many columns.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0, used = 0;
  while (bytes < text.size()) {
    const Glyph next = first_glyph(text.substr(bytes));
    if (used + next.columns > columns) break;
    used += next.columns;
    bytes += next.bytes;
  }
  return bytes;
}

/// Lines that are filled word by word.
class FilledText {
 public:
  FilledText(std::size_t columns, std::size_t hang, std::size_t used = 0)
      : columns_(columns), hang_(std::min(hang, columns / 2)), used_(used) {}

  void add(std::string_view blanks, std::string_view word) {
    const std::size_t wide = lockproof::harness::columns_of(word);
    if (!empty_ && used_ + blanks.size() + wide > columns_) {
      begin_line();
    } else {
      put(blanks, blanks.size());
    }
    put(word, wide);
    empty_ = false;
  }
  void add_cut(std::string_view blanks, std::string_view word) {
    while (hang_ + lockproof::harness::columns_of(word) > columns_) {
      if (!empty_) begin_line(), blanks = "";
      const std::size_t bytes = std::max<std::size_t>(1, bytes_within(word, columns_ - std::max(used_, hang_)));
      add(blanks, word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    if (!word.empty()) add(blanks, word);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void put(std::string_view text, std::size_t columns) {
    text_ += text;
    used_ += columns;
  }
  void begin_line() {
    text_ += "\n" + std::string(hang_, ' ');
    used_ = hang_;
    empty_ = true;
  }

  const std::size_t columns_, hang_;
  std::string text_;
  std::size_t used_;
  bool empty_ = true;
};

/// Where the word ends that begins there: a number and its unit are one.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  if (end == text.size() || end == begin || text[end - 1] < '0' || text[end - 1] > '9') return end;
  const std::size_t next = std::min(text.find(' ', end + 1), text.size());
  const std::string_view unit = text.substr(end + 1, next - end - 1);
  constexpr std::string_view units[] = {"s", "ms", "min", "h", "%", "MB"};
  const std::string_view bare = unit.substr(0, std::min(unit.find_first_of(",;:.)"), unit.size()));
  return std::ranges::find(units, bare) == std::end(units) ? end : next;
}

/// Words of a shell's command line; blanks between quotes divide none.
std::vector<std::string_view> shell_words(std::string_view command) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    const bool ends = i == command.size() || (command[i] == ' ' && quote == 0);
    if (ends && i > begin) words.push_back(command.substr(begin, i - begin));
    if (ends) begin = i + 1;
    if (ends) continue;
    if (command[i] == '\\') {
      ++i;
    } else if (quote != 0 ? command[i] == quote : command[i] == '\'' || command[i] == '"') {
      quote = quote != 0 ? '\0' : command[i];
    }
  }
  return words;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Glyph next = first_glyph(text);
    columns += next.columns;
    text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t hang, LongWords words) {
  if (columns_of(text) <= columns) return std::string(text);
  FilledText lines(columns, hang);
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = end_of_word(text, blanks);
    if (end > blanks) {
      const std::string_view before = text.substr(0, blanks), word = text.substr(blanks, end - blanks);
      words == LongWords::stay ? lines.add(before, word) : lines.add_cut(before, word);
    }
    text.remove_prefix(end);
  }
  return lines.text();
}

std::string listed(const std::vector<std::string>& items, std::size_t columns, std::size_t begin) {
  FilledText lines(columns, begin, begin);
  for (std::size_t i = 0; i < items.size(); ++i) {
    lines.add(i == 0 ? "" : " ", items[i] + (i + 1 < items.size() ? "," : ""));
  }
  return lines.text();
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    all += wrapped(line, columns, std::min(line.find_first_not_of(' '), line.size()) + deeper);
    if (end < text.size()) all += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string command_lines(std::string_view label, std::string_view command, std::size_t columns) {
  if (columns_of(label) + columns_of(command) <= columns) return std::string(label).append(command);
  const std::vector<std::string_view> words = shell_words(command);
  std::string all(label), gap;
  std::size_t used = columns_of(label);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t wide = columns_of(words[i]), goes_on = i + 1 < words.size() ? 2 : 0;
    if (!gap.empty() && used + gap.size() + wide + goes_on > columns) {
      gap = " \\\n" + std::string(of_commands, ' ');
      used = of_commands;
    } else {
      used += gap.size();
    }
    all.append(gap).append(words[i]);
    used += wide;
    gap = " ";
  }
  return all;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  return std::string(text.substr(0, bytes_within(text, columns == 0 ? 0 : columns - 1))) + "…";
}

}  // namespace lockproof::harness
