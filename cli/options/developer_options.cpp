// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include "cli/options/choices.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/options/whole_number.hpp"

namespace lockproof::cli {

void add_bench(CLI::App& sub, Arguments& arguments) {
  sub.add_option("ALGORITHM", arguments.paths,
                 "locks of the catalogue, or files in Lua (default: all of the catalogue)")
      ->check(no_algorithm);
  sub.add_option("--clients", arguments.clients, "numbers of clients, measured one after the other (default: 2,8,32)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(2, 64));
  sub.add_flag("--real", arguments.real, "measure on real servers as well as in the simulator; takes some minutes");
  sub.add_option("--runs", arguments.runs, "number of measurements, of which the median is shown (default: 3)")
      ->check(whole_number(1, 1000));
  add_time(sub, arguments, "stop after this long, with the locks that were measured, as in 60s (default: never)");
  add_out(sub, arguments, "folder for bench.json, from which report draws a picture, and for the scenarios");
  add_format(sub, arguments, "text for people, json for machines", {"text", "json"});
}

void add_manual(CLI::App& sub, Arguments& arguments) {
  sub.add_option("WHAT", arguments.paths, "the man page, or the completion script for a shell")
      ->required()
      ->expected(1)
      ->check(CLI::IsMember({"man", "bash", "zsh"}));
}

}  // namespace lockproof::cli
