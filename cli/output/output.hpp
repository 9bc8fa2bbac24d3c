// SPDX-License-Identifier: Apache-2.0
// Output: texts as files, and text for people, as a terminal wants it: colours, and the width of lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/output/output_file.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::cli {

/// As an OutputFile, at once. Throws OutputError.
void write_file(const std::string& path, std::string_view text);

/// The same beside an answer, which is told whatever becomes of the file. False: it is not written, and the first such
/// complaint is kept.
bool save_file(const std::string& path, std::string_view text);
/// That complaint; empty: all was written.
[[nodiscard]] const std::string& unwritten();
/// A complaint of another process of this command.
void keep_unwritten(const std::string& complaint);

/// Whether this is a terminal that obeys escape sequences: TERM=dumb says that it does not.
[[nodiscard]] bool obeys_escapes(int file);

/// Those of the terminal, or 80 if this is none. COLUMNS in the environment is stronger.
[[nodiscard]] std::size_t columns_of_terminal(int file);

/// Colours on such a terminal, unless NO_COLOR is set.
[[nodiscard]] harness::Style style_of_stdout();

/// On standard output, in lines that fit. What machines read is printed by fmt::print.
void print_text(const harness::Style& style, std::string_view text);

/// On standard error, in lines that fit.
void print_note(std::string_view text);
/// The same, of lockproof: "lockproof: …", and a newline.
void complain(std::string_view what);

}  // namespace lockproof::cli
