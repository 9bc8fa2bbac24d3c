// SPDX-License-Identifier: Apache-2.0
#include "cli/options/shared_options.hpp"
#include "cli/options/verb_options.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

std::string no_duration(const std::string& text) {
  return harness::duration_from(text) ? "" : "this is no duration, such as 50ms";
}

}  // namespace

void add_judge(CLI::App& sub, Arguments& arguments) {
  sub.add_option("LOG", arguments.paths,
                 "what redis-cli MONITOR printed, or the log of a PostgreSQL server, and a log of each worker, whose "
                 "lines begin with a time, or one of all: CSV with the columns time, worker and event, or "
                 "OpenTelemetry's spans as OTLP JSON; --held PATTERN reads any lines. Without the server's only the "
                 "workers' clocks tell who was inside "
                 "at once")
      ->required();
  sub.add_option("--enters", arguments.judge.enters,
                 "what a worker's line contains once it is inside (default: that it got, acquired or obtained a lock)");
  sub.add_option(
      "--leaves", arguments.judge.leaves,
      "what a worker's line contains when its work has ended and the lock is not yet released (default: done, "
      "finished, completed)");
  sub.add_option(
         "--held", arguments.judge.held,
         "a regular expression of the lines that count, with the groups (?<time>…), (?<worker>…), (?<lock>…) and "
         "(?<event>…) as far as they have them; without an event a line is an entry")
      ->group(hidden);
  sub.add_option("--key", arguments.judge.key,
                 "the lock's key, or its name in the workers' lines, with * for any text (default: the key that they "
                 "contend for; each lock that lines name by itself)");
  sub.add_option("--clocks", arguments.judge.clocks, "no worker's clock is further from the server's (default: 1s)")
      ->check(CLI::Validator(no_duration, ""));
  add_out(sub, arguments,
          "folder for history.jsonl, judged.json, a page, and a scenario that does it again; without names");
  add_format(sub, arguments, "text for people, json for machines", {"text", "json"});
}

}  // namespace lockproof::cli
