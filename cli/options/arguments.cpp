// SPDX-License-Identifier: Apache-2.0
#include "cli/options/arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/options/complaints.hpp"
#include "cli/options/manual.hpp"
#include "cli/options/old_forms.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/options/verb_options.hpp"
#include "cli/output/output.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/version.hpp"

namespace lockproof::cli {
namespace {

namespace exit_code = check::exit_code;

constexpr const char* footer =
    "Exit codes: 0 every expectation met, 1 an expectation failed, 2 unknown, 3 not deterministic, 4 nothing to "
    "minimize or explain, 5 not as in the baseline, 64 wrong usage or an invalid scenario, 65 a malformed history, 69 "
    "something is missing on this machine, 70 an internal error.\nStart with: lockproof demo";

using OptionsOf = void (*)(CLI::App& sub, Arguments& arguments);

struct Verb {
  const char* name;
  const char* meaning;
  OptionsOf options;  // null: it has none
};

void add_help(CLI::App& sub, Arguments& arguments) {
  sub.add_option("VERB", arguments.paths, "the command that is explained (default: all of them, in a line each)")
      ->expected(1);
}

constexpr Verb every_verb[] = {
    {"demo", "Show one documented failure, in the simulator and on a real redis-server if there is one", nullptr},
    {"run", "Run a scenario in the simulator, once or many times", add_run},
    {"explore", "Search every schedule of a scenario within its bounds", add_explore},
    {"real", "Run a scenario on servers that lockproof starts, or on yours", add_real},
    {"replay", "Do again on real servers, step by step, what the simulator predicts, and compare", add_replay},
    {"sweep", "Strike a program of your own with every kind of fault at every event", add_sweep},
    {"soak", "Run a scenario on real servers for a while, each time with other random faults", add_soak},
    {"check", "Run scenarios and compare them with [expect]; for continuous integration", add_check},
    {"minimize", "Find the smallest cause of a violation", add_minimize},
    {"explain", "Say in five sentences what happened in a violation", add_explain},
    {"judge", "Say what happened in an incident, from its logs: who was inside when, and what is certain", add_judge},
    {"frontier", "Find which faults break a lock, and which do not", add_frontier},
    {"review", "Say which lock a job may use, from what a reviewer knows of it", add_review},
    {"compare", "Say what breaks one of two locks, and not the other: is a change a mend?", add_compare},
    {"plan", "Split run --runs, check or frontier into tasks for many machines", add_plan},
    {"work", "Work on such tasks, a line each on standard input, and write their answers", add_work},
    {"join", "Put the answers together, as if one machine had done it all", add_join},
    {"new", "Write a scenario to start from: a lock, a fault, and a comment for each line", add_new},
    {"list", "List the locks, properties and kinds of faults, or the documented failures", add_list},
    {"report", "Draw pictures, or write pages to step through, of what was written with --out", add_report},
    {"help", "List the commands, or explain one", add_help},
};

constexpr Verb verbs_for_developers[] = {
    {"bench", "Measure the locks: acquisitions per second, waits, time to take over after a crash", add_bench},
    {"manual", "Print the man page, or the completion script for bash or zsh", add_manual},
};

CLI::App* add_verb(CLI::App& app, const Verb& verb, Arguments& arguments) {
  CLI::App* const sub = app.add_subcommand(verb.name, verb.meaning);
  sub->callback([&arguments, name = verb.name] { arguments.verb = name; });
  if (verb.options) verb.options(*sub, arguments);
  return sub;
}

/// "help run" is "run --help", and so is no word at all "--help".
CommandLine with_help_as_option(CommandLine words) {
  if (words.size() < 2) return {"lockproof", "--help"};
  if (words[1] != "help" || words.size() > 3 || (words.size() == 3 && words[2].starts_with('-'))) return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

/// Of "plan --tasks 9 run FILE": what stands behind plan's own options, which it takes away.
CommandLine cut_planned_words(const CLI::App& app, CommandLine& words) {
  if (words.size() < 3 || words[1] != "plan") return {};
  const auto is_verb = [&](const std::string& word) { return verb_of(app, word) != nullptr; };
  const auto begin = std::find_if(words.begin() + 2, words.end(), is_verb);
  CommandLine planned(begin, words.end());
  words.erase(begin, words.end());
  return planned;
}

void refuse_what_does_not_fit(const Arguments& arguments) {
  if (arguments.format == "mermaid" && (arguments.runs || arguments.liveness)) {
    throw CLI::ValidationError("--format", "mermaid draws one run, or the counterexample of explore or minimize");
  }
  if (arguments.verb == "explore" && !arguments.other.empty()) {
    if (arguments.format != "text" && arguments.format != "json")
      throw CLI::ValidationError("--format", "with --not-in it is text or json");
    if (arguments.liveness) throw CLI::ValidationError("--liveness", "not with --not-in");
  }
  if (arguments.verb != "list") return;
  if (const std::string why = not_listed(arguments); !why.empty()) throw CLI::ValidationError("list", why);
}

/// A page has a folder, if none is named.
void add_default_folder(Arguments& arguments) {
  if (arguments.verb != "explore" || !(arguments.html || arguments.walk) || !arguments.out.empty()) return;
  arguments.out = "out/" + std::filesystem::path(arguments.paths.front()).stem().string();
}

}  // namespace

void define_arguments(CLI::App& app, Arguments& arguments) {
  app.formatter(help_formatter(columns_of_terminal(STDOUT_FILENO)));
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", fmt::format("lockproof {}", harness::program_version));
  for (const Verb& verb : every_verb) add_verb(app, verb, arguments);
  for (const Verb& verb : verbs_for_developers) add_verb(app, verb, arguments)->group("");
}

Arguments parse_arguments(int argc, const char* const* argv) { return parse_words({argv, argv + argc}); }

Arguments parse_words(const std::vector<std::string>& all) {
  Arguments arguments;
  CLI::App app("lockproof: a proving ground for distributed locks", "lockproof");
  define_arguments(app, arguments);
  CommandLine own = all;
  arguments.planned = cut_planned_words(app, own);
  const CommandForm command = current_form(app, with_help_as_option(std::move(own)));
  const CommandLine& words = command.words;
  if (const auto wrong = wrong_verb(app, words)) {
    complain(*wrong);
    arguments.exit = exit_code::usage;
    return arguments;
  }
  try {
    if (command.was_old) complain(hint_on_old_form(command));
    app.parse(CommandLine(words.rbegin(), words.rend() - 1));  // CLI11 wants them backwards
    refuse_what_does_not_fit(arguments);
    arguments.redirect = command.redirect;
    add_default_folder(arguments);
  } catch (const CLI::Success& e) {
    arguments.exit = app.exit(e) == 0 ? exit_code::met : exit_code::usage;
  } catch (const CLI::ParseError& e) {
    complain(complaint_of(app, words, e));
    const std::string verb = verb_of(app, words[1]) ? fmt::format(" {}", words[1]) : "";
    print_note(fmt::format("See lockproof{} --help\n", harness::printable(verb)));
    arguments.exit = exit_code::usage;
  }
  return arguments;
}

}  // namespace lockproof::cli
