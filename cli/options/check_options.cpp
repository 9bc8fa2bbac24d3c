// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include "cli/options/server_options.hpp"
#include "cli/options/shared_options.hpp"

namespace lockproof::cli {
void add_check(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Each scenario is run once in the simulator and compared with [expect] run. In addition, --real compares a run\n"
      "on real servers with [expect] real, and --explore compares a search of every schedule with [expect] explore,\n"
      "where the scenario states one. What [expect] does not state is not compared. Without any [expect] nothing is\n"
      "expected of a run, and only a violation fails it; what [explore] bounds must hold. [expect] liveness is "
      "compared\n"
      "by lockproof explore --liveness only. A file that is no scenario counts as one error, exit code 64; the other\n"
      "scenarios still run. In a folder, reviews are left out, and folders that lockproof has written with --out: "
      "name\n"
      "such a folder to check what is in it. A lock that is a program of its own runs where its [expect] says "
      "something: run is in\n"
      "virtual time, real on real servers; where it says nothing, on real servers.");
  sub.add_option("PATH", arguments.paths, "scenarios, or folders with scenarios")->required();
  sub.add_flag("--real", arguments.real, "also run on real servers, and compare with [expect] real");
  CLI::Option* const explore =
      sub.add_flag("--explore", arguments.explore,
                   "also search every schedule of the scenarios that have [expect] explore, or [explore] and no "
                   "[expect]");
  sub.add_flag("--allow-clients", arguments.allow_clients,
               "also run the scenarios whose lock is a program of its own ([algorithm] command): this runs "
               "their code");
  add_server_programs(sub, arguments);
  add_memory(sub, arguments, "with --explore: all searches together stop at about this much memory")->needs(explore);
  add_time(sub, arguments,
           "stop after this long; what is not known then is unknown, and searches share it (default: "
           "never)");
  add_jobs(sub, arguments, "the number of cores, and three times that on real servers");
  add_seed(sub, arguments, "the seed of all runs, instead of the scenarios' own");
  sub.add_option(
      "--baseline", arguments.baseline,
      "compare with the results.json of an earlier check, and tell what has changed, what is new and what is "
      "gone; exit code 5 if something comes out otherwise, or is gone");
  add_out(sub, arguments,
          "folder for results.json, from which report makes the matrix or a site; for summary.md, the same for "
          "the summary of a job; and for the histories of real runs");
  add_format(sub, arguments, forms_for_review, {"text", "json", "markdown", "github"});
  add_junit(sub, arguments);
}

}  // namespace lockproof::cli
