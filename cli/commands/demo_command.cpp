// SPDX-License-Identifier: Apache-2.0
// demo: one documented failure, in the simulator and on a real server, with what it means.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "harness/check/expectation.hpp"
#include "real/errors.hpp"

namespace lockproof::cli {
namespace {

constexpr const char* failure = "lease-outlived";

constexpr const char* meaning =
    "\nA client took a lease of a lock, was paused for longer than the lease, and woke up\n"
    "believing that it still held the lock. Meanwhile the lease ended and another client\n"
    "got the lock, as it should. Both were inside at once, and one update was lost.\n"
    "The scenario expects just that.\n";

constexpr const char* further =
    "\nGo on with:\n"
    "  lockproof explain lease-outlived     why, and what would prevent it\n"
    "  lockproof list cases                 the documented failures; each can be run by its name\n"
    "  lockproof new mine.lua               a lock of your own, in Lua\n"
    "  lockproof frontier set-px-token      which faults break a lock, and which do not\n";

}  // namespace

int demo_command(const Arguments& arguments) {
  Arguments one = arguments;
  one.paths = {failure};
  one.verb = "run";
  fmt::print("In the simulator: lockproof run {}\n\n", failure);
  const int simulated = run_command(one);
  fmt::print("\nOn a real server: lockproof real {}\n\n", failure);
  one.verb = "real";
  one.quiet = true;
  std::fflush(stdout);
  int there = check::exit_code::met;
  try {
    there = run_command(one);
  } catch (const real::BadEnvironment& missing) {
    fmt::print("Left out here: {}\n", missing.what());
  }
  if (simulated == check::exit_code::met) fmt::print("{}", meaning);
  fmt::print("{}", further);
  return simulated != check::exit_code::met ? simulated : there;
}

}  // namespace lockproof::cli
