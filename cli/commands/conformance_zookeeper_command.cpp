// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/commands/conformance_end.hpp"
#include "conformance/zookeeper/conformance.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {

int conformance_zookeeper_command(const Arguments& arguments) {
  conformance::zookeeper::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.mutant.empty()) options.mutant = conformance::zookeeper::mutant_named(arguments.mutant);
  options.program = real::program_of(Service::zookeeper, arguments.programs);
  const conformance::zookeeper::Report report = conformance::zookeeper::compare(options);

  fmt::print("{} and the simulated server, seed {}\n", report.version, options.seed);
  fmt::print("{} requests in {} sequences of {} clients; {} were thrown away, since the machine was late\n",
             report.commands, report.sequences, conformance::zookeeper::clients, report.thrown_away);
  fmt::print("{} sessions ended by themselves, {} nearly; {} other connections; watches told {} times\n",
             report.silences, report.hushes, report.reconnections, report.told);
  return end_of_conformance(report);
}

}  // namespace lockproof::cli
