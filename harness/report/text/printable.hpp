// SPDX-License-Identifier: Apache-2.0
// Printable text: what a file says, shown so that it cannot do anything to a terminal or to an XML document.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

/// Control characters, marks that turn the direction of text, and bytes that are no UTF-8 become \n, \x1b or \u202e.
/// All else stays as it is, a backslash too: this is for reading, not for reading back.
[[nodiscard]] std::string printable(std::string_view text);

/// The same, but the lines of the text stay lines.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// What stands above a report: the title, or the name where there is none.
[[nodiscard]] std::string heading(const std::string& title, const std::string& name);

}  // namespace lockproof::harness
