// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include "cli/options/shared_options.hpp"

namespace lockproof::cli {

void add_report(CLI::App& sub, Arguments& arguments) {
  sub.add_option("RUN", arguments.paths,
                 "folders written by run or real, check, bench; with --html also a lesson, in TOML")
      ->required();
  add_out(sub, arguments, "folder for what is drawn (default: the first RUN)");
  CLI::Option* const html = sub.add_flag(
      "--html", arguments.html,
      "write a page instead, in which a run can be stepped through, event by event; of a folder that check "
      "wrote, a table with a page for each scenario");
  sub.add_flag("--what-if", arguments.what_if,
               "with --html: the page has switches for the scenario's faults, and for other leases")
      ->needs(html);
}

}  // namespace lockproof::cli
