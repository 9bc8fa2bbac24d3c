// SPDX-License-Identifier: Apache-2.0
// Columns: how wide text is where it is shown, and how it is broken into lines of a width. Escape sequences of colours
// take no column, and wide characters take two.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::harness {

/// Of a terminal that does not tell its width, and of files.
inline constexpr std::size_t usual_columns = 80;

[[nodiscard]] std::size_t columns_of(std::string_view text);

enum class LongWords { stay, are_cut };

/// Broken at blanks into lines of at most so many columns; the second and later lines begin with `hang` blanks. Its own
/// blanks stay within a line. A word that is wider than a line has a line to itself, or is cut. No newline at the end.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns, std::size_t hang,
                                  LongWords words = LongWords::stay);

/// The items with commas between them, in lines that are broken between items only. The first line begins at the column
/// `begin`, behind what is there already; the others begin with so many blanks.
[[nodiscard]] std::string listed(const std::vector<std::string>& items, std::size_t columns, std::size_t begin);

/// Each line of the text that is too wide is broken, and goes on two columns deeper than it begins.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns);

/// The label, and then a command line, broken between its words in such a way that a shell takes the lines for one.
[[nodiscard]] std::string command_lines(std::string_view label, std::string_view command, std::size_t columns);

/// The beginning that fits into so many columns, with … where something is left out.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace lockproof::harness
