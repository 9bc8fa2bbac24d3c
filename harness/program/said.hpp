// SPDX-License-Identifier: Apache-2.0
// ProgramLine: one line of a program, parsed: docs/reference/line-protocol.md. Fields that are not known are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockproof::harness {

inline constexpr std::size_t line_most = 4096;  // bytes, without the line's end
inline constexpr int lines_most = 10'000;

struct ProgramLine {
  enum class Word : std::uint8_t { ready, acquired, busy, touch, extended, released, lost, failed };
  Word word = Word::ready;
  std::optional<std::int64_t> protocol, valid_ms, fence;
  std::optional<int> round;
  std::optional<bool> ours, renews;
  std::string name, error;
};

[[nodiscard]] std::string_view name(ProgramLine::Word word);

struct ParsedLine {
  std::optional<ProgramLine> said;
  std::string wrong;  // if nothing was said: what is wrong with the line, in words
};
[[nodiscard]] ParsedLine said_from(std::string_view line);
/// … of its first line, which must be `ready`.
[[nodiscard]] ParsedLine ready_from(std::string_view line);
/// What is wrong with a line of more than line_most bytes.
[[nodiscard]] std::string too_long(std::string_view line);

/// A text of somebody else's, so that a terminal shows it and does nothing else with it.
[[nodiscard]] std::string shown(std::string_view text, std::size_t most = 120);

}  // namespace lockproof::harness
