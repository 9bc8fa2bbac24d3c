// SPDX-License-Identifier: Apache-2.0
#include "cli/options/list_options.hpp"

namespace lockproof::cli {

void add_list(CLI::App& sub, Arguments& arguments) {
  sub.add_option("WHAT", arguments.paths,
                 "algorithms, properties, faults (default: these three); cases: the documented failures; claims: those "
                 "of the notes; scenarios")
      ->expected(1)
      ->check(CLI::IsMember({"algorithms", "properties", "faults", "cases", "claims", "scenarios"}));
  sub.add_option("WORD", arguments.word,
                 "of cases: those that mention it, as a library, a service, a fault, a symptom");
  sub.add_option(
      "--scenarios", arguments.folder,
      "of cases, claims and scenarios: a folder of scenarios with its cases.toml (default: lockproof's own)");
  sub.add_option("--format", arguments.format,
                 "text for people; json, of cases, claims and scenarios; markdown: docs/reference/catalogue.md, or "
                 "failures.md for cases, always whole")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
}

std::string not_listed(const Arguments& arguments) {
  const std::string what = arguments.paths.empty() ? "" : arguments.paths.front();
  const bool of_scenarios = what == "cases" || what == "claims" || what == "scenarios";
  if (what != "cases" && !arguments.word.empty()) return "a word to look for is for cases";
  if (!of_scenarios && !arguments.folder.empty()) return "--scenarios is for cases, claims and scenarios";
  if (!of_scenarios && arguments.format == "json") return "--format json is for cases, claims and scenarios";
  const bool page = arguments.format == "markdown" && (what == "claims" || what == "scenarios");
  return page ? "--format markdown has one page of both: list cases --format markdown" : "";
}

}  // namespace lockproof::cli
