// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include <fmt/format.h>

#include "cli/options/choices.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/server_options.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/options/whole_number.hpp"
#include "execution/sweep.hpp"

namespace lockproof::cli {
namespace {

constexpr const char* text_or_json = "text for people, json for machines";
constexpr const char* seed_of_run =
    "the seed for what the scenario leaves open; the same seed gives the same simulated run";

/// Of one run, simulated or real.
void add_one_run(CLI::App& sub, Arguments& arguments) {
  add_scenario(sub, arguments);
  add_seed(sub, arguments, seed_of_run);
  add_out(sub, arguments, "folder for history.jsonl, verdict.json and trace.txt");
  add_quiet(sub, arguments);
  add_another_lock(sub, arguments);
  add_format(sub, arguments, fmt::format("{}, mermaid: a sequence diagram of the run", text_or_json),
             {"text", "json", "mermaid"});
  add_junit(sub, arguments)->group(hidden);
}

}  // namespace

void add_run(CLI::App& sub, Arguments& arguments) {
  add_one_run(sub, arguments);
  sub.add_option("--runs", arguments.runs,
                 "draw this many random schedules; what is found is saved to --out as scenarios")
      ->check(whole_number(1, most_runs));
  sub.add_option("--strategy", arguments.strategy,
                 "how schedules are drawn: random; pct (random priorities that change) or pct:D, with D ordering "
                 "constraints to guess instead of 3; swarm (a random subset of the kinds of faults for each run); "
                 "guided (mutates runs that covered something new); auto (explores if the space is small, else "
                 "fuzzes). With a strategy, [explore] says which faults may strike")
      ->check(no_strategy);
  add_budget(sub, arguments,
             "bounds and faults from this file, as explore has it; the scenario's own faults are left out");
  add_time(sub, arguments, "stop after this long, as in 60s or 10min");
  add_find(sub, arguments, "first: stop at the first violation", {"first"});
  add_workers(sub, arguments);
  sub.add_option("--shard", arguments.shard, "make only this part of the runs, as in 3/16: a part, for lockproof plan")
      ->group(hidden);
}

void add_real(CLI::App& sub, Arguments& arguments) {
  add_one_run(sub, arguments);
  sub.add_flag("--traced", arguments.traced)->group(hidden);
  sub.add_option("--known-key", arguments.known_key)->group(hidden);
  add_redis(sub, arguments);
  add_server_programs(sub, arguments, true);
}

void add_replay(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Event by event, with clocks that are set, real servers get what the simulated ones got, and every reply is\n"
      "compared. One scenario is shown with its trace; of several, or of folders, there is a line for each.");
  sub.add_option("PATH", arguments.paths, "scenarios, or folders with scenarios; also those that explore wrote")
      ->required();
  sub.add_option("--repeat", arguments.repeat, "so many times; the outcome must be the same each time (default: once)")
      ->check(CLI::Range(1, 10'000));
  add_jobs(sub, arguments, "the number of cores");
  add_seed(sub, arguments, seed_of_run);
  add_another_lock(sub, arguments);
  add_out(sub, arguments,
          "folder for history.jsonl, verdict.json and trace.txt of one scenario, trace-replay.json of several");
  add_quiet(sub, arguments);
  add_format(sub, arguments, "text for people, json for machines, markdown: the page of all, in docs/reference",
             {"text", "json", "markdown"});
  add_junit(sub, arguments);
  add_server_programs(sub, arguments);
}

void add_sweep(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "For a lock that is a program of its own: every kind of fault at every event of its runs without faults, each\n"
      "in a run of its own on real servers. With --server traced each strike is made once, and is final.");
  add_scenario(sub, arguments);
  sub.add_option("--faults", arguments.faults, "only these kinds, as in pause,crash (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(execution::sweep_kinds()));
  sub.add_option("--max-faults", arguments.max_faults,
                 "2: also a second fault behind each that violates nothing (default: 1)")
      ->check(CLI::Range(1, 2));
  sub.add_option("--repeat", arguments.repeat,
                 "runs of each fault that violated something (default: 3; in virtual time: 2)")
      ->check(CLI::Range(1, 10'000));
  add_time(sub, arguments, "stop after this long, as in 10min (default: never)");
  add_jobs(sub, arguments, "two for each core");
  add_out(sub, arguments, "folder for sweep.json, and for what is found, as scenarios");
  add_format(sub, arguments, text_or_json, {"text", "json"});
  add_junit(sub, arguments)->group(hidden);
  add_quiet(sub, arguments)->group(hidden);  // there is no trace
  add_server_programs(sub, arguments, true);
}

void add_soak(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Each run on real servers has other random faults. A violation is minimized in the simulator, and the result\n"
      "is replayed on real servers.");
  add_scenario(sub, arguments);
  add_time(sub, arguments, fmt::format("stop after this long, as in 10min (default: {})", soak_by_default));
  add_budget(sub, arguments,
             "bounds and faults from this file, as in scenarios/budgets; else the scenario's [explore]");
  add_find(sub, arguments, "first: stop at the first violation", {"first"});
  add_jobs(sub, arguments, "eight for each core");
  add_seed(sub, arguments, "the seed of the faults that are drawn");
  add_another_lock(sub, arguments);
  add_quiet(sub, arguments)->group(hidden);  // there is no trace
  add_out(sub, arguments, "folder for soak.json, the runs that violate something, and their smallest scenarios");
  add_format(sub, arguments, text_or_json, {"text", "json"});
  add_server_programs(sub, arguments);
}

}  // namespace lockproof::cli
