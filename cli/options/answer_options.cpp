// SPDX-License-Identifier: Apache-2.0
#include "cli/options/answer_options.hpp"

#include "cli/options/choices.hpp"
#include "cli/options/whole_number.hpp"

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
  sub.add_option("--out", arguments.out, "with --boundary: folder for boundary.svg and boundary.json")->needs(boundary);
  sub.add_option("--seed", arguments.seed, "the seed of the run, if the scenario leaves something open")
      ->check(whole_number(0, seed_most));
  sub.add_option("--states", arguments.states, "state limit for each search; beyond it the answer is unknown")
      ->check(whole_number(20, 1'000'000'000))
      ->capture_default_str();
  sub.add_option("--workers", arguments.workers,
                 "threads; the answer does not depend on their number (default: all cores)")
      ->check(whole_number(1, 256));
  sub.add_option("--time", arguments.time, "stop after this long; what is not searched then is unknown");
  sub.add_option("--memory", arguments.memory, "stop at about this much memory, as in 512M or 4G")
      ->capture_default_str();
  sub.add_option("--format", arguments.format, "text for people, json for machines")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_review(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "what is known: docs/reference/review.md has its keys")
      ->required()
      ->expected(1);
  sub.add_option("--states", arguments.review_states, "state limit for each search; beyond it the answer is unknown")
      ->check(whole_number(20, 1'000'000'000))
      ->capture_default_str();
  sub.add_option("--workers", arguments.workers,
                 "locks that are searched at the same time; the answer does not depend on it (default: all cores)")
      ->check(whole_number(1, 256));
  sub.add_option("--time", arguments.time, "stop after this long; what is not searched then is unknown (default: 60s)");
  sub.add_option("--memory", arguments.memory, "stop at about this much memory, as in 512M or 4G")
      ->capture_default_str();
  sub.add_option("--out", arguments.out,
                 "folder for review.md, review.json, review.svg, and a scenario for each cause");
  sub.add_option("--format", arguments.format, "text for people, json for machines, markdown for a design document")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
}

}  // namespace lockproof::cli
