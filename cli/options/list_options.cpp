// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/options/shared_options.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {

void add_list(CLI::App& sub, Arguments& arguments) {
  sub.add_option("WHAT", arguments.paths,
                 "algorithms, properties, faults (default: these three); cases: the documented failures; claims: those "
                 "of the notes; scenarios. A second word: the cases that mention it, as a library, a service, a fault, "
                 "a symptom")
      ->type_name("TEXT:{algorithms,properties,faults,cases,claims,scenarios}")
      ->expected(1, 2);
  sub.add_option(
      "--scenarios", arguments.folder,
      "of cases, claims and scenarios: a folder of scenarios with its cases.toml (default: lockproof's own)");
  add_format(sub, arguments,
             "text for people; json, of faults, cases, claims and scenarios; markdown: docs/reference/catalogue.md, or "
             "failures.md for cases, always whole",
             {"text", "json", "markdown"});
}

std::string not_listed(const Arguments& arguments) {
  const std::string what = arguments.paths.empty() ? "" : arguments.paths.front();
  const bool of_scenarios = what == "cases" || what == "claims" || what == "scenarios";
  const std::vector<std::string> known{"algorithms", "properties", "faults", "cases", "claims", "scenarios"};
  if (!what.empty() && std::ranges::find(known, what) == known.end()) {
    return fmt::format("WHAT: is '{}'{}", what, harness::suggestion(what, known));
  }
  if (what != "cases" && arguments.paths.size() > 1) return "a word to look for is for cases";
  if (!of_scenarios && !arguments.folder.empty()) return "--scenarios is for cases, claims and scenarios";
  if (!of_scenarios && what != "faults" && arguments.format == "json") {
    return "--format json is for faults, cases, claims and scenarios";
  }
  const bool page = arguments.format == "markdown" && (what == "claims" || what == "scenarios");
  return page ? "--format markdown has one page of both: list cases --format markdown" : "";
}

}  // namespace lockproof::cli
