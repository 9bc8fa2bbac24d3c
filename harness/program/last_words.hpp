// SPDX-License-Identifier: Apache-2.0
// LastWords: why a program ended by itself, from what it wrote to standard error. Runtimes put the error above a stack
// or a version, so the last line seldom says it.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

/// "; its last words: Error: lock lost". The last line at the left margin that names an error, with the line below it
/// if it ends with a colon; without one the last line. Nothing: it wrote nothing.
[[nodiscard]] std::string last_words(std::string_view errors);

}  // namespace lockproof::harness
