// SPDX-License-Identifier: Apache-2.0
// Words of a command line, as one would type them into a shell.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

/// As it is, if every POSIX shell takes it for one word; else in quotes. With control characters, which a terminal
/// would obey, in those of bash, ksh and zsh: $'…'.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace lockproof::harness
