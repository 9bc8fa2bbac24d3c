// SPDX-License-Identifier: Apache-2.0
#include "cli/options/check_options.hpp"

#include "cli/options/server_options.hpp"
#include "cli/options/whole_number.hpp"

namespace lockproof::cli {
namespace {

void add_forms(CLI::App& sub, Arguments& arguments, const char* meaning, const std::vector<std::string>& forms) {
  sub.add_option("--format", arguments.format, meaning)->check(CLI::IsMember(forms))->capture_default_str();
  sub.add_option("--junit", arguments.junit, "also write the verdicts as JUnit XML to this file");
}

}  // namespace

void add_outputs(CLI::App& sub, Arguments& arguments) {
  add_forms(sub, arguments, "text for people, json for machines", {"text", "json"});
}

void add_run_outputs(CLI::App& sub, Arguments& arguments) {
  add_forms(sub, arguments, "text for people, json for machines, mermaid: a sequence diagram of the run",
            {"text", "json", "mermaid"});
}

void add_explore_outputs(CLI::App& sub, Arguments& arguments) {
  add_forms(sub, arguments,
            "text for people, json for machines, markdown for the summary of a job, github: a line for each missed "
            "expectation, which GitHub shows where the scenario states it, mermaid: a sequence diagram of the "
            "counterexample",
            {"text", "json", "markdown", "github", "mermaid"});
}

void add_review_outputs(CLI::App& sub, Arguments& arguments) {
  add_forms(sub, arguments,
            "text for people, json for machines, markdown for the summary of a job, github: a line for each missed "
            "expectation, which GitHub shows where the scenario states it",
            {"text", "json", "markdown", "github"});
}

void add_check(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Each scenario is run once in the simulator and compared with [expect] run. In addition, --real compares a run\n"
      "on real servers with [expect] real, and --explore compares a search of every schedule with [expect] explore,\n"
      "where the scenario states one. With --trace only [expect] run is compared. What [expect] does not state is not\n"
      "compared; a scenario without any [expect] is expected to hold in everything. [expect] liveness is compared by\n"
      "lockproof explore --liveness only. A file that is no scenario counts as one error, exit code 64; the other\n"
      "scenarios still run. A lock that is a program of its own runs where its [expect] says something: run is in\n"
      "virtual time, real on real servers; where it says nothing, on real servers.");
  sub.add_option("PATH", arguments.paths, "scenarios, or folders with scenarios")->required();
  CLI::Option* const real =
      sub.add_flag("--real", arguments.real, "also run on real servers, and compare with [expect] real");
  CLI::Option* const explore =
      sub.add_flag("--explore", arguments.explore,
                   "also search every schedule of the scenarios that have [expect] explore, and compare");
  sub.add_flag(
         "--trace", arguments.trace,
         "instead, do again on real servers, event by event, what the simulator predicts, and compare every reply")
      ->excludes(real)
      ->excludes(explore);
  sub.add_flag("--allow-clients", arguments.allow_clients,
               "also run the scenarios whose lock is a program of its own ([algorithm] command): that is to run "
               "somebody's code");
  add_server_programs(sub, arguments);
  sub.add_option("--memory", arguments.memory,
                 "with --explore: stop each search at about this much memory, as in 512M or 4G")
      ->capture_default_str()
      ->needs(explore);
  sub.add_option("--time", arguments.time, "with --explore: stop each search after this long (default: never)")
      ->needs(explore);
  sub.add_option("--jobs", arguments.jobs,
                 "number of runs at the same time (default: the number of cores, and three times that on real servers)")
      ->check(CLI::Range(1, 64));
  sub.add_option("--seed", arguments.seed, "the seed of all runs, instead of the scenarios' own")
      ->check(whole_number(0, seed_most));
  sub.add_option(
         "--baseline", arguments.baseline,
         "compare with the results.json of an earlier check, and tell what has changed, what is new and what is "
         "gone; exit code 5 if something comes out otherwise, or is gone")
      ->excludes("--trace");
  sub.add_option("--out", arguments.out,
                 "folder for results.json, from which report makes the matrix or a site; for summary.md, the same for "
                 "the summary of a job; and for the histories of real runs");
}

}  // namespace lockproof::cli
