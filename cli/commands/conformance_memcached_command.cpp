// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/commands/conformance_end.hpp"
#include "conformance/memcached/conformance.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {

int conformance_memcached_command(const Arguments& arguments) {
  conformance::memcached::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.mutant.empty()) options.mutant = conformance::memcached::mutant_named(arguments.mutant);
  options.program = real::program_of(Service::memcached, arguments.programs);
  const conformance::memcached::Report report = conformance::memcached::compare(options);

  fmt::print("{} and the simulated node, seed {}\n", report.version, options.seed);
  fmt::print("{} commands in {} sequences, {} ticks\n", report.commands, report.sequences, report.ticks);
  return end_of_conformance(report);
}

}  // namespace lockproof::cli
