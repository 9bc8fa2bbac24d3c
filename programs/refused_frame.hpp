// SPDX-License-Identifier: Apache-2.0
// What a program does in a frame that virtual time cannot hold: only lockproof real can judge such a program.
#pragma once

#include <string>

#include "programs/shim_process.hpp"

namespace lockproof::programs {

/// Throws ProgramRefusal where virtual time has refused it something, such as another process: what it does then, it
/// would not do on a machine. `errors`: what the program says, or nothing.
void refuse_what_is_missing(const Frame& frame, const std::string& client, const std::string& errors);
/// … where it has locked a file: all copies of all programs would share that, whatever their histories are.
void refuse_file_lock(const Frame& frame, const std::string& client);

}  // namespace lockproof::programs
