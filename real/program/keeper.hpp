// SPDX-License-Identifier: Apache-2.0
// Keeper: a small process between lockproof and a program of somebody else's. Whatever the program starts stays below
// it, daemons too; when lockproof lets go of its pipe, however it ends, the keeper kills all of them and ends.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "real/os/descriptor.hpp"

namespace lockproof::real {

/// A program as it is to be started.
struct Start {
  std::string path;  // of the program
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // all of it, NAME=value
  std::string folder;
  std::vector<int> inherited;    // descriptors that it gets besides the standard ones
  bool fixed_addresses = false;  // its memory lies at the same addresses in every run
};

/// What a program may use; more ends it.
inline constexpr int processes_most = 64;                               // with all that it has started
inline constexpr unsigned long memory_most = 4UL * 1024 * 1024 * 1024;  // bytes of data, of each process
inline constexpr unsigned long file_most = 64UL * 1024 * 1024;          // bytes of a file that it writes

/// The ends that lockproof keeps.
struct KeeperEnds {
  pid_t keeper = 0, program = 0;  // the program leads a session and a group of its own
  Descriptor hold;                // the keeper works as long as this is open
  Descriptor news;                // a line when the program has ended, or has to be ended: how
  Descriptor input, output, errors;
};

/// Throws BadEnvironment, also where the program cannot be run.
[[nodiscard]] KeeperEnds keep(const Start& start);

/// Its children, theirs, and so on.
[[nodiscard]] std::vector<pid_t> processes_below(pid_t ancestor);

/// Ends the program with all that it has started, and waits until nothing is left.
void end_all(KeeperEnds& kept);

}  // namespace lockproof::real
