// SPDX-License-Identifier: Apache-2.0
#include "cli/options/check_options.hpp"

#include "cli/options/server_options.hpp"
#include "cli/options/whole_number.hpp"

namespace lockproof::cli {

void add_check(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Each scenario is run once in the simulator, and compared with [expect] run. Besides that, --real compares a "
      "run\n"
      "on real servers with [expect] real, and --explore a search of every schedule with [expect] explore, where that\n"
      "states something. With --replay nothing but [expect] run is compared. What [expect] does not state is not\n"
      "compared, but for a scenario without any [expect]: of that everything is expected to hold. [expect] progress "
      "is\n"
      "for lockproof explore --progress. A file that is no scenario is one error, exit code 64, and the others run.");
  sub.add_option("PATH", arguments.paths, "scenarios, or folders with scenarios")->required();
  CLI::Option* const real =
      sub.add_flag("--real", arguments.real, "also on real servers, against what [expect] states for real");
  CLI::Option* const explore =
      sub.add_flag("--explore", arguments.explore,
                   "also search every schedule of those that state what they expect of explore, against that");
  sub.add_flag("--replay", arguments.replay,
               "instead, do again step by step on real servers what the simulator says, and compare every reply")
      ->excludes(real)
      ->excludes(explore);
  add_server_programs(sub, arguments);
  sub.add_option("--memory", arguments.memory, "with --explore: stop each search at about this much, as in 512M or 4G")
      ->capture_default_str()
      ->needs(explore);
  sub.add_option("--time", arguments.time, "with --explore: stop each search after this long; default: never")
      ->needs(explore);
  sub.add_option("--jobs", arguments.jobs,
                 "runs at the same time; by default the cores, and twice that on real servers")
      ->check(CLI::Range(1, 64));
  sub.add_option("--seed", arguments.seed, "of the runs, instead of the scenarios' own")
      ->check(whole_number(0, seed_most));
  sub.add_option("--out", arguments.out, "folder for results.json, of which report makes the matrix");
}

}  // namespace lockproof::cli
