// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include "cli/options/choices.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/options/whole_number.hpp"

namespace lockproof::cli {
namespace {

/// What a message names where it is of use, and what is for developers.
void add_rare(CLI::App& sub, Arguments& arguments, CLI::Option* liveness) {
  sub.add_option(
         "--engine", arguments.engine,
         "stateful: fast, but not for every fault; reexecution: slow, the reference, for every fault; auto: the "
         "first that can; zones: every timing instead of chosen ones, so far with one "
         "Redis server")
      ->check(no_engine)
      ->capture_default_str()
      ->group(hidden);
  sub.add_option(
         "--not-in", arguments.other,
         "find a schedule that breaks this scenario and, with the same faults at the same events, not that one: "
         "as lockproof compare names them")
      ->group(hidden);
  sub.add_flag(
         "--walk", arguments.walk,
         "write a page that walks through every state, if they are some thousand at most: what could happen next, "
         "whether a violation can still be avoided, and the shortest way to it")
      ->group(hidden);
  sub.add_option("--checkpoint", arguments.checkpoint,
                 "write this file when a limit or Ctrl-C stops the search (default with --out: DIR/checkpoint)")
      ->group(hidden);
  sub.add_option("--resume", arguments.resume,
                 "continue from such a file; it is written again if the search is stopped again")
      ->group(hidden);
  sub.add_flag("--no-reduction", arguments.no_reduction,
               "switch off the partial-order reduction and the symmetry reduction")
      ->group(hidden);
  sub.add_option("--runs", arguments.runs,
                 "with --liveness, if a limit stops the search: draw this many random schedules in which the faults "
                 "end, after which every client must get the lock (default: 1000)")
      ->needs(liveness)
      ->check(whole_number(0, 1'000'000'000))
      ->group(hidden);
  add_junit(sub, arguments)->group(hidden);
}

}  // namespace

void add_explore(CLI::App& sub, Arguments& arguments) {
  add_scenario(sub, arguments);
  add_budget(
      sub, arguments,
      "bounds and faults from this file, as in scenarios/budgets; the scenario's own faults and steps are left out");
  add_find(sub, arguments,
           "fewest: of each kind of violation one with the fewest faults, and then events (default); first: stop at "
           "the first violation, clients that ask as written come first; causes: every minimal set of faults for each "
           "kind of violation",
           {"first", "fewest", "causes"});
  CLI::Option* const liveness =
      sub.add_flag("--liveness", arguments.liveness,
                   "search for liveness violations instead: fair schedules in which a client that wants the lock never "
                   "gets it (livelock, starvation, a lost wake-up, a lock that a watchdog renews indefinitely)");
  add_another_lock(sub, arguments);
  add_time(sub, arguments, "stop after this long, as in 60s or 10min (default: never)");
  add_memory(sub, arguments, "stop at about this much memory");
  add_workers(sub, arguments);
  add_quiet(sub, arguments);
  add_out(sub, arguments, "folder for verdict.json and the counterexamples, which are scenarios");
  sub.add_flag(
      "--html", arguments.html,
      "write a page in which the counterexample can be stepped through (default folder: out/NAME); --walk writes "
      "one that walks through every state");
  add_format(sub, arguments,
             std::string(forms_for_review) +
                 ", mermaid: a sequence diagram of the counterexample, dot: the graph of states and events, if it is "
                 "small, for Graphviz",
             {"text", "json", "markdown", "github", "mermaid", "dot"});
  add_rare(sub, arguments, liveness);
}

void add_minimize(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "a scenario that violates a property, however it was found")
      ->required()
      ->expected(1);
  sub.add_option("--property", arguments.property, "the property to preserve (default: the worst that is violated)")
      ->check(no_property_to_search);
  add_seed(sub, arguments, "the seed of the run that violates it, if the scenario leaves something open");
  add_states(sub, arguments.states, "state limit for each search; the re-execution engine gets a twentieth of it");
  add_workers(sub, arguments);
  add_memory(sub, arguments, "abandon a search at about this much memory");
  add_time(sub, arguments, "stop after this long, with the smallest scenario found so far (default: never)");
  add_quiet(sub, arguments);
  add_out(sub, arguments, "a .toml file for the smallest scenario, or a folder for it and minimize.json");
  add_format(sub, arguments, "text for people, json for machines, mermaid: a sequence diagram of the smallest run",
             {"text", "json", "mermaid"});
}

void add_frontier(CLI::App& sub, Arguments& arguments) {
  sub.add_option("SUBJECT", arguments.paths,
                 "algorithms of the catalogue or files in Lua, or scenarios with faults in [explore] (default: the "
                 "catalogue)");
  sub.add_option("--budget", arguments.budget, "for a scenario: the faults to choose from, from this file");
  sub.add_option(
         "--max-faults", arguments.max_faults,
         "maximum number of faults in one run (default for an algorithm: 1, or 2 if that space is small enough)")
      ->check(CLI::Range(0, 16));
  sub.add_option("--entries", arguments.entries, "only these entries of the budget, from 1: a part, for lockproof plan")
      ->delimiter(',')
      ->group(hidden);
  sub.add_option("--topology", arguments.topology, "of an algorithm's searches only this one, from 1")->group(hidden);
  add_workers(sub, arguments);
  sub.add_option("--memory", arguments.memory,
                 "stop each search at about this much memory, as in 512M or 4G; as many are made at once as there are "
                 "workers, and as the machine has so much memory for")
      ->capture_default_str();
  add_time(sub, arguments, "stop each search after this long, as in 60s (default: never)");
  add_out(sub, arguments,
          "folder for frontier.json, from which report draws a picture, and for scenarios: one for each set of "
          "faults that breaks a lock, and what was searched without a violation");
  add_format(sub, arguments, "text for people, json for machines, markdown: one table of all",
             {"text", "json", "markdown"});
}

}  // namespace lockproof::cli
