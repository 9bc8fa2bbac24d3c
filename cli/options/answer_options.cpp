// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include "cli/options/choices.hpp"
#include "cli/options/shared_options.hpp"

namespace lockproof::cli {

void add_explain(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "a scenario that violates a property, or the folder of a run with --out")
      ->required()
      ->expected(1);
  sub.add_option("--property", arguments.property, "the property to explain (default: the worst that is violated)")
      ->check(no_property_to_search);
  CLI::Option* const boundary =
      sub.add_option("--boundary", arguments.boundary,
                     "instead, how the verdict changes with an amount of the scenario, and where: lease, hold, "
                     "fault-1.for (or for, if "
                     "only one fault has it), by, rate, client-2.clock, or a duration of the lock");
  add_out(sub, arguments, "with --boundary: folder for boundary.svg and boundary.json")->needs(boundary);
  add_seed(sub, arguments, "the seed of the run, if the scenario leaves something open");
  add_states(sub, arguments.states, "state limit for each search; beyond it the answer is unknown");
  add_workers(sub, arguments);
  add_time(sub, arguments, "stop after this long; what is not searched then is unknown");
  add_memory(sub, arguments, "stop at about this much memory");
  add_format(sub, arguments, "text for people, json for machines", {"text", "json"});
}

void add_review(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "what is known: docs/reference/review.md has its keys")->required();
  add_states(sub, arguments.review_states, "state limit for each search; beyond it the answer is unknown");
  add_workers(sub, arguments);
  add_time(sub, arguments, "stop after this long; what is not searched then is unknown (default: 60s)");
  add_memory(sub, arguments, "stop at about this much memory");
  sub.add_flag("--all", arguments.all, "every lock, what was searched and what was not; else one page");
  add_out(sub, arguments, "folder for review.md, review.json, review.svg, and a scenario for each cause");
  add_format(sub, arguments, "text for people, json for machines, markdown for a design document",
             {"text", "json", "markdown"});
}

void add_compare(CLI::App& sub, Arguments& arguments) {
  sub.add_option_function<std::string>(
         "A", [&arguments](const std::string& word) { arguments.paths = {word}; },  // a list would take both
         "a scenario, a lock of the catalogue, or a file in Lua: what there was before a change")
      ->required();
  sub.add_option(
         "B", arguments.other,
         "the same after it; of a lock and a scenario, the lock does the scenario's work. best: the lock of the "
         "catalogue that a review ranks first")
      ->required();
  add_budget(sub, arguments, "bounds and faults for both from this file, as in scenarios/budgets");
  add_states(sub, arguments.compared_states, "state limit for each search; beyond it the answer is unknown");
  add_workers(sub, arguments);
  add_time(sub, arguments, "stop after this long; what is not searched then is unknown (default: 2min)");
  add_memory(sub, arguments, "stop at about this much memory");
  add_out(sub, arguments, "folder for compared.json, compared.md, and a scenario for each cause");
  add_format(sub, arguments, "text for people, json for machines, markdown for a pull request",
             {"text", "json", "markdown"});
}

}  // namespace lockproof::cli
