// SPDX-License-Identifier: Apache-2.0
// demo: one documented failure, in the simulator and on a real server, with what it means.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/output/output.hpp"
#include "harness/check/expectation.hpp"
#include "real/errors.hpp"

namespace lockproof::cli {
namespace {

constexpr const char* failure = "lease-outlived";

constexpr const char* meaning =
    "A client took a lease of a lock, was paused for longer than the lease, and woke up believing that it still held "
    "the lock. Meanwhile the lease ended and another client got the lock, as it should. Both were inside at once, and "
    "one update was lost. The scenario expects just that.";

constexpr const char* further =
    "\nGo on with:\n"
    "  lockproof explain lease-outlived  why, and what would prevent it\n"
    "  lockproof list cases              the documented failures, to be run by name\n"
    "  lockproof new mine.lua            a lock of your own, in Lua\n"
    "  lockproof frontier set-px-token   which faults break a lock, and which do not\n";

}  // namespace

int demo_command(const Arguments& arguments) {
  Arguments one = arguments;
  one.paths = {failure};
  one.verb = "run";
  const harness::Style style = style_of_stdout();
  print_text(style, fmt::format("In the simulator: lockproof run {}\n\n", failure));
  const int simulated = run_command(one);
  print_text(style, fmt::format("\nOn a real server: lockproof real {}\n\n", failure));
  one.verb = "real";
  one.quiet = true;
  std::fflush(stdout);
  int there = check::exit_code::met;
  try {
    there = run_command(one);
  } catch (const real::BadEnvironment& missing) {
    print_text(style, fmt::format("Left out here: {}\n", missing.what()));
  }
  if (simulated == check::exit_code::met) fmt::print("\n{}\n", style.wrap(meaning, 0));
  print_text(style, further);
  return simulated != check::exit_code::met ? simulated : there;
}

}  // namespace lockproof::cli
