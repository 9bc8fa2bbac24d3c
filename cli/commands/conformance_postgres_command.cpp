// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "conformance/postgres/conformance.hpp"
#include "harness/check/expectation.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {

namespace exit_code = check::exit_code;

int conformance_postgres_command(const Arguments& arguments) {
  conformance::postgres::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.mutant.empty()) options.mutant = conformance::postgres::mutant_named(arguments.mutant);
  options.program = real::program_of(Service::postgres, arguments.programs);
  const conformance::postgres::Report report = conformance::postgres::compare(options);

  fmt::print("{} and the simulated node, seed {}\n", report.version, options.seed);
  fmt::print("{} statements in {} sequences over {} connections; {} waited; {} connections ended\n", report.commands,
             report.sequences, conformance::postgres::connections, report.waits, report.ends);
  if (report.difference) {
    const conformance::postgres::Difference& difference = *report.difference;
    fmt::print("\na difference, in {} of the steps\n\n{}\n  simulated: {}\n  real:      {}\n", difference.steps.size(),
               conformance::postgres::shown(difference.steps), difference.simulated, difference.real);
    return exit_code::failed;
  }
  fmt::print("\nanswered\n");
  for (const auto& [kind, count] : report.replies) fmt::print("  {:>9}  {}\n", count, kind);
  fmt::print("\nno difference\n");
  return exit_code::met;
}

}  // namespace lockproof::cli
