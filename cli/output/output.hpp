// SPDX-License-Identifier: Apache-2.0
// Output: texts as files, and whether a terminal wants colours.
#pragma once

#include <string>
#include <string_view>

#include "cli/output/output_file.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::cli {

/// As an OutputFile, at once. Throws OutputError.
void write_file(const std::string& path, std::string_view text);

/// Whether this is a terminal that obeys escape sequences: TERM=dumb says that it does not.
[[nodiscard]] bool obeys_escapes(int file);

/// Colours on such a terminal, unless NO_COLOR is set.
[[nodiscard]] harness::Style style_of_stdout();

}  // namespace lockproof::cli
