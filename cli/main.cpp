// SPDX-License-Identifier: Apache-2.0
// lockproof, the program.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/hunt_options.hpp"
#include "cli/output.hpp"
#include "harness/check/expectation.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/scenario/input_error.hpp"
#include "real/run.hpp"

namespace {

namespace cli = lockproof::cli;
namespace check = lockproof::check;
using lockproof::harness::BadHistory;
using lockproof::harness::InputError;
using lockproof::real::BadEnvironment;

int dispatch(const cli::Arguments& arguments) {
  if (arguments.verb == "check") {
    return arguments.replay ? cli::check_replay_command(arguments) : cli::check_command(arguments);
  }
  if (arguments.verb == "real" && !arguments.soak.empty()) return cli::soak_command(arguments);
  if (arguments.verb == "real" && arguments.replay) return cli::replay_command(arguments);
  if (arguments.verb == "explore") {
    return arguments.progress ? cli::progress_command(arguments) : cli::explore_command(arguments);
  }
  if (arguments.verb == "minimize") return cli::minimize_command(arguments);
  if (arguments.verb == "frontier") return cli::frontier_command(arguments);
  if (arguments.verb == "bench") return cli::bench_command(arguments);
  if (arguments.verb == "list") return cli::list_command(arguments);
  if (arguments.verb == "certify") return cli::certify_command(arguments);
  if (arguments.verb == "merge") return cli::merge_command(arguments);
  if (arguments.verb == "report") return cli::report_command(arguments);
  return cli::asks_for_many(arguments) ? cli::search_command(arguments) : cli::run_command(arguments);
}

int complain(int code, const char* what) {
  std::fflush(stdout);
  fmt::print(stderr, "lockproof: {}\n", what);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const cli::Arguments arguments = cli::parse_arguments(argc, argv);
    return arguments.exit >= 0 ? arguments.exit : dispatch(arguments);
  } catch (const InputError& e) {
    return complain(check::exit_code::usage, e.what());
  } catch (const BadHistory& e) {
    return complain(check::exit_code::bad_data, e.what());
  } catch (const BadEnvironment& e) {
    return complain(check::exit_code::environment, e.what());
  } catch (const cli::OutputError& e) {
    return complain(check::exit_code::environment, e.what());
  } catch (const std::exception& e) {
    return complain(check::exit_code::internal, (std::string("internal error: ") + e.what()).c_str());
  }
}
