// SPDX-License-Identifier: Apache-2.0
// Options that say which servers a real run has: some that are there already, or another build of those that lockproof
// starts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// Options of `real` for servers that lockproof did not start.
void add_redis(CLI::App& sub, Arguments& arguments);
/// The option of every command that starts servers. Call it after add_redis, if at all.
/// `may_be_traced`: the servers may run in virtual time, too.
void add_server_programs(CLI::App& sub, Arguments& arguments, bool may_be_traced = false);

/// Looks at the programs that were given, and says on standard error what they are. Throws real::BadEnvironment if one
/// of them is not what it should be.
void announce_programs(const Arguments& arguments);

/// As they stand on a command line, behind a blank; empty: none were given.
[[nodiscard]] std::string program_words(const Arguments& arguments);

}  // namespace lockproof::cli
