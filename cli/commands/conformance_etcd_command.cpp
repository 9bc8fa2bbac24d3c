// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/commands/conformance_end.hpp"
#include "conformance/etcd/conformance.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {

int conformance_etcd_command(const Arguments& arguments) {
  conformance::etcd::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.mutant.empty()) options.mutant = conformance::etcd::mutant_named(arguments.mutant);
  options.program = real::program_of(Service::etcd, arguments.programs);
  const conformance::etcd::Report report = conformance::etcd::compare(options);

  fmt::print("{} and the simulated server, seed {}\n", report.version, options.seed);
  fmt::print("{} requests in {} sequences of {} clients; {} were thrown away, since the machine was late\n",
             report.commands, report.sequences, conformance::etcd::clients, report.thrown_away);
  fmt::print(
      "{} leases ended, the last of them {} ms after its time; {} were kept alive at their end, and {} were over when "
      "somebody would; ",
      report.ended, report.outlived.count(), report.sustained, report.knocks);
  fmt::print("{} restarts; {} other connections; watches told {} times\n", report.restarts, report.reconnections,
             report.told);
  return end_of_conformance(report);
}

}  // namespace lockproof::cli
