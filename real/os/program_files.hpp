// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockproof::real {

/// The path of a file that belongs to lockproof: `beside` the program, as in the folder in which it was built, or
/// `installed`, relative to the program's folder. No path is compiled in, so that an installed tree can be moved.
/// Throws BadEnvironment with both places if it is in neither.
[[nodiscard]] std::string program_file(const std::string& beside, const std::string& installed);

}  // namespace lockproof::real
