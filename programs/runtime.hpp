// SPDX-License-Identifier: Apache-2.0
// What is known of the interpreters that programs are written for, by the name of their executable.
#pragma once

#include <string>
#include <vector>

namespace lockproof::programs {

/// What is put before the words of a program, so that all of its work is done by one thread and copies of it need no
/// other, and so that it wakes for nothing but its own timers. It changes when work is done, and not what comes of it.
[[nodiscard]] std::vector<std::string> flags_for(const std::string& path);

/// What the interpreter says of itself: "node v20.20.2". Empty: it is none that is known.
[[nodiscard]] std::string version_of(const std::string& path);

}  // namespace lockproof::programs
