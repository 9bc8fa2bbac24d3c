// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/commands/conformance_end.hpp"
#include "conformance/postgres/conformance.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {

int conformance_postgres_command(const Arguments& arguments) {
  conformance::postgres::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.mutant.empty()) options.mutant = conformance::postgres::mutant_named(arguments.mutant);
  options.program = real::program_of(Service::postgres, arguments.programs);
  const conformance::postgres::Report report = conformance::postgres::compare(options);

  fmt::print("{} and the simulated node, seed {}\n", report.version, options.seed);
  fmt::print("{} statements in {} sequences over {} connections; {} waited; {} connections ended\n", report.commands,
             report.sequences, conformance::postgres::connections, report.waits, report.ends);
  return end_of_conformance(report);
}

}  // namespace lockproof::cli
