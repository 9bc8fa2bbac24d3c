// SPDX-License-Identifier: Apache-2.0
// What the file of a program tells of how it meets the kernel.
#pragma once

#include <string>

namespace lockproof::programs {

/// Why the shim cannot come between this program, or the interpreter that its first line names, and the kernel; a
/// phrase behind its name. Empty: nothing speaks against it.
[[nodiscard]] std::string why_no_shim(const std::string& path);

}  // namespace lockproof::programs
