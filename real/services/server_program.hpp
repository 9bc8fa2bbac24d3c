// SPDX-License-Identifier: Apache-2.0
// Starting programs of servers with clocks that are ours: what all services have in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "real/clock/clock_page.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"

namespace lockproof::real {

/// A program of a service. `path`: another build of it; empty: the one in PATH.
struct ServerProgram {
  std::string name;     // "redis-server"
  std::string package;  // of Debian, that has it
  std::string path{};
};

/// A port of 127.0.0.1 that nobody listens on. Somebody else may be quicker to take it.
[[nodiscard]] int free_port();

/// Starts it with these arguments, the first of them its name, and the clocks of that page. It dies with us. Throws
/// BadEnvironment. What it prints goes to `log`, a file; empty: nowhere.
[[nodiscard]] std::unique_ptr<ChildProcess> spawn_server(const ServerProgram& program,
                                                         std::vector<std::string> arguments, const ClockPage& clock,
                                                         Janitor& janitor, const std::string& log = {});

/// How the file `log` in this folder ends, as a clause of a message.
[[nodiscard]] std::string last_words(const std::string& folder);

/// The first line that the program prints when it is asked for its version. Throws BadEnvironment if it cannot be run,
/// or prints nothing within some seconds.
[[nodiscard]] std::string version_line(const ServerProgram& program);

/// Gives up the processor for half a millisecond.
void nap();

}  // namespace lockproof::real
