// SPDX-License-Identifier: Apache-2.0
#include "cli/options/sweep_options.hpp"

#include "execution/sweep.hpp"

namespace lockproof::cli {

void add_sweep(CLI::App& sub, Arguments& arguments) {
  CLI::Option* const sweep =
      sub.add_flag("--sweep", arguments.sweep,
                   "a program of your own: every kind of fault at every event of its runs without faults, each in a "
                   "run of its own; what is found is written to --out as scenarios");
  sub.add_option("--faults", arguments.faults, "with --sweep: only these kinds, as in pause,crash (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(execution::sweep_kinds()))
      ->needs(sweep);
  sub.add_flag("--pairs", arguments.pairs, "with --sweep: also a second fault behind each that violates nothing")
      ->needs(sweep);
  sub.add_option("--time", arguments.time, "with --sweep: begin no run after this long, as in 10min (default: never)")
      ->needs(sweep);
  sweep->excludes(sub.get_option("--trace"))->excludes(sub.get_option("--soak"));
}

std::string why_not_alone(const Arguments& arguments) {
  if (arguments.verb != "real" || arguments.sweep) return "";
  if (arguments.repeat && !arguments.trace) return "--repeat is for --trace or --sweep";
  if (arguments.jobs && arguments.soak.empty()) return "--jobs is for --soak or --sweep";
  return "";
}

}  // namespace lockproof::cli
