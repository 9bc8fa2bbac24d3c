// SPDX-License-Identifier: Apache-2.0
#include "cli/options/shared_options.hpp"

#include "cli/options/choices.hpp"
#include "cli/options/whole_number.hpp"

namespace lockproof::cli {

void add_scenario(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "scenario, or its name in the catalogue")->required()->expected(1);
}

CLI::Option* add_out(CLI::App& sub, Arguments& arguments, const std::string& meaning) {
  return sub.add_option("-o,--out", arguments.out, meaning);
}

CLI::Option* add_quiet(CLI::App& sub, Arguments& arguments) {
  return sub.add_flag("-q,--quiet", arguments.quiet, "print the verdicts, and no trace");
}

void add_seed(CLI::App& sub, Arguments& arguments, const std::string& meaning) {
  sub.add_option("--seed", arguments.seed, meaning)->check(whole_number(0, seed_most));
}

void add_format(CLI::App& sub, Arguments& arguments, const std::string& meaning,
                const std::vector<std::string>& forms) {
  sub.add_option("--format", arguments.format, meaning)->check(CLI::IsMember(forms))->capture_default_str();
}

CLI::Option* add_junit(CLI::App& sub, Arguments& arguments) {
  return sub.add_option("--junit", arguments.junit, "also write the verdicts as JUnit XML to this file");
}

CLI::Option* add_time(CLI::App& sub, Arguments& arguments, const std::string& meaning) {
  return sub.add_option("--time", arguments.time, meaning);
}

CLI::Option* add_memory(CLI::App& sub, Arguments& arguments, const std::string& meaning) {
  return sub.add_option("--memory", arguments.memory, meaning + ", as in 512M or 4G")->capture_default_str();
}

void add_workers(CLI::App& sub, Arguments& arguments) {
  sub.add_option("-j,--workers", arguments.workers,
                 "threads; the answer does not depend on their number (default: all cores)")
      ->check(whole_number(1, 256));
  sub.add_option("--live", arguments.live,
                 "where the lock is a program: processes of each client that are kept, to go on where they stopped; "
                 "fewer take less memory and more time")
      ->check(whole_number(1, harness::live_processes_most))
      ->capture_default_str()
      ->group(hidden);
}

void add_jobs(CLI::App& sub, Arguments& arguments, const std::string& meaning) {
  sub.add_option("-j,--workers", arguments.workers, "number of runs at the same time (default: " + meaning + ")")
      ->check(CLI::Range(1, 64));
}

void add_budget(CLI::App& sub, Arguments& arguments, const std::string& meaning) {
  sub.add_option("--budget", arguments.budget, meaning);
  sub.add_option("--max-faults", arguments.max_faults, "how many faults of the budget may strike in one run")
      ->check(CLI::Range(0, 16));
}

void add_another_lock(CLI::App& sub, Arguments& arguments) {
  sub.add_option(
         "--algorithm", arguments.algorithm,
         "use another lock instead of the scenario's, of the catalogue or a file in Lua; [expect] is then ignored")
      ->check(no_algorithm);
}

void add_find(CLI::App& sub, Arguments& arguments, const std::string& meaning, const std::vector<std::string>& ways) {
  sub.add_option("--find", arguments.find, meaning)->check(CLI::IsMember(ways));
}

void add_states(CLI::App& sub, std::uint64_t& states, const std::string& meaning) {
  sub.add_option(
         "--states", states,
         meaning +
             "; ten runs of a host's code for each state are a limit, too, and 300 with what comes before them")
      ->check(whole_number(20, 1'000'000'000))
      ->capture_default_str();
}

}  // namespace lockproof::cli
