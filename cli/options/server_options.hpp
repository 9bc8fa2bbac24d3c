// SPDX-License-Identifier: Apache-2.0
// Options that say which servers a real run has: some that are there already, or another build of those that lockproof
// starts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// Of real: servers that are there already.
void add_redis(CLI::App& sub, Arguments& arguments);
/// Of all that starts servers: an option for each service, after add_redis if there is that.
void add_server_programs(CLI::App& sub, Arguments& arguments);

/// Empty if it can be done on servers that are there already.
[[nodiscard]] std::string why_not_there(const Arguments& arguments);

/// Looks at the programs that were given, and says on standard error what they are. Throws real::BadEnvironment if one
/// of them is not what it should be.
void announce_programs(const Arguments& arguments);

/// As they stand on a command line, behind a blank; empty: none were given.
[[nodiscard]] std::string program_words(const Arguments& arguments);

}  // namespace lockproof::cli
