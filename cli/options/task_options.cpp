// SPDX-License-Identifier: Apache-2.0
#include "cli/options/shared_options.hpp"
#include "cli/options/verb_options.hpp"
#include "cli/options/whole_number.hpp"

namespace lockproof::cli {
namespace {

constexpr std::uint64_t most_tasks = 1'000'000;

}  // namespace

void add_plan(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Behind its options stands a command as for one machine, without --out,\n"
      "--format, --junit and --workers:\n"
      "  lockproof plan frontier redlock --max-faults 2 > tasks.jsonl\n"
      "  lockproof work < tasks.jsonl > answers.jsonl\n"
      "  lockproof join tasks.jsonl answers.jsonl\n"
      "A task is a line of JSON. Any machine with the same lockproof and the same\n"
      "files can work on it.");
  sub.add_option("--tasks", arguments.tasks, "of random runs, make at most so many tasks")
      ->capture_default_str()
      ->check(whole_number(1, most_tasks));
}

void add_work(CLI::App& sub, Arguments& arguments) {
  sub.footer(
      "Reads tasks, a line each, and writes answers, a line each. A task without an\n"
      "answer is named on standard error; work on it again. Exit code 0: every task\n"
      "has an answer, whatever it is; 2: one has none.");
  add_out(sub, arguments,
          "folder for a file with each answer, instead of standard output; tasks that have one there are not worked on "
          "again");
  add_time(sub, arguments, "begin no task after this long, as in 10min (default: never)");
  add_jobs(sub, arguments, "the number of cores");
}

void add_join(CLI::App& sub, Arguments& arguments) {
  sub.footer("Its exit code, text and files are those of the command that was planned.");
  sub.add_option("PLAN", arguments.paths, "the tasks, then files or folders with their answers")->required();
  sub.add_flag("--missing", arguments.missing,
               "print the tasks that have no answer, for lockproof work, and join nothing");
  add_out(sub, arguments, "folder for the files of the whole");
  add_format(sub, arguments, "as the command that was planned has it", {"text", "json", "markdown", "github"});
  add_junit(sub, arguments);
}

}  // namespace lockproof::cli
