// SPDX-License-Identifier: Apache-2.0
// Starts programs of servers with clocks under our control; common to all services.
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
  std::string package;  // the Debian package that contains it
  std::string path{};
  std::string folder{};  // where else it may be; empty: in PATH only
  std::string user{};    // root starts it as this user; empty: as root
};

/// A port of 127.0.0.1 that is not in use. Another process may take it before the caller does.
[[nodiscard]] int free_port();

/// Starts it with these arguments, the first of them its name, and the clocks of that page. It ends with this process.
/// Throws BadEnvironment. What it prints goes to `log`, a file; empty: nowhere.
[[nodiscard]] std::unique_ptr<ChildProcess> spawn_server(const ServerProgram& program,
                                                         std::vector<std::string> arguments, const ClockPage& clock,
                                                         Janitor& janitor, const std::string& log = {});

/// The same with the machine's own clocks.
[[nodiscard]] std::unique_ptr<ChildProcess> spawn_server(const ServerProgram& program,
                                                         std::vector<std::string> arguments, Janitor& janitor,
                                                         const std::string& log);

/// Gives a file or a folder to the user that the program runs as, if it is another one than ours.
void give_to_user_of(const ServerProgram& program, const std::string& path);

/// Runs it until it ends by itself, for at most a minute. Throws BadEnvironment with the end of its output, which goes
/// to `log`, if it does not end well.
void run_program(const ServerProgram& program, std::vector<std::string> arguments, Janitor& janitor,
                 const std::string& log);

/// How the file `log` in this folder ends, as a clause of a message.
[[nodiscard]] std::string last_words(const std::string& folder);

/// The first line that the program prints when it is asked for its version, by these arguments. Throws BadEnvironment
/// if it cannot be run, or prints nothing within some seconds.
[[nodiscard]] std::string version_line(const ServerProgram& program,
                                       std::vector<std::string> arguments = {"--version"});

/// Gives up the processor for half a millisecond.
void nap();

}  // namespace lockproof::real
