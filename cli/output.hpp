// SPDX-License-Identifier: Apache-2.0
// Output: files that are whole or not there, and whether a terminal wants colours.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/report/style.hpp"

namespace lockproof::cli {

/// A file could not be written; says which and why.
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Makes the folders on the way. Writes to a temporary name first. Throws OutputError.
void write_file(const std::string& path, std::string_view text);

/// Whether this is a terminal that obeys escape sequences: TERM=dumb says that it does not.
[[nodiscard]] bool obeys_escapes(int file);

/// Colours on such a terminal, unless NO_COLOR is set.
[[nodiscard]] harness::Style style_of_stdout();

}  // namespace lockproof::cli
