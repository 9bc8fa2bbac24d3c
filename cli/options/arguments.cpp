// SPDX-License-Identifier: Apache-2.0
#include "cli/options/arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/options/answer_options.hpp"
#include "cli/options/check_options.hpp"
#include "cli/options/choices.hpp"
#include "cli/options/list_options.hpp"
#include "cli/options/manual.hpp"
#include "cli/options/new_options.hpp"
#include "cli/options/report_options.hpp"
#include "cli/options/server_options.hpp"
#include "cli/options/sweep_options.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/output/output.hpp"
#include "conformance/etcd/mutants.hpp"
#include "conformance/memcached/mutants.hpp"
#include "conformance/postgres/mutants.hpp"
#include "conformance/redis/mutants.hpp"
#include "conformance/zookeeper/mutants.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/version.hpp"

namespace lockproof::cli {
namespace {

namespace exit_code = check::exit_code;

constexpr const char* footer =
    "Exit codes: 0 every expectation met, 1 an expectation failed, 2 unknown, 3 not deterministic, 4 nothing to "
    "minimize or explain, 5 not as in the baseline, 64 wrong usage or an invalid scenario, 65 a malformed history, 69 "
    "something is missing on this machine, 70 an internal error.\nStart with: lockproof demo";

constexpr std::uint64_t most_runs = 1'000'000'000'000;  // or commands; one machine takes about a year for them

/// Options of searches, which no answer depends on.
void add_workers(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--workers", arguments.workers,
                 "threads; the answer does not depend on their number (default: all cores)")
      ->check(whole_number(1, 256));
  sub.add_option("--live", arguments.live,
                 "where the lock is a program: processes of each client that are kept, to go on where they stopped; "
                 "fewer take less memory and more time")
      ->check(whole_number(1, harness::live_processes_most))
      ->capture_default_str();
}

void add_conformance(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--service", arguments.service, "the service whose simulated servers are compared with real ones")
      ->check(CLI::IsMember({"redis", "memcached", "postgres", "zookeeper", "etcd"}))
      ->capture_default_str();
  sub.add_option("--commands", arguments.commands, "the number of commands to send")
      ->check(whole_number(1, most_runs))
      ->capture_default_str();
  sub.add_option("--seed", arguments.seed, "the seed of the random commands (default: 1)")
      ->check(whole_number(0, seed_most));
  sub.add_option("--nodes", arguments.nodes,
                 "of redis: send them to one node, to several nodes that replicate, fail over and restart, or half of "
                 "them to each")
      ->check(CLI::IsMember({"one", "several", "both"}))
      ->capture_default_str();
  sub.add_flag("--reference", arguments.reference,
               "print docs/reference/redis.md, which says what is modelled and compared, and send nothing");
  std::vector<std::string> names;
  for (const conformance::Mutant& mutant : conformance::mutants()) names.emplace_back(mutant.name);
  for (const conformance::memcached::Mutant& mutant : conformance::memcached::mutants())
    names.emplace_back(mutant.name);
  for (const conformance::postgres::Mutant& mutant : conformance::postgres::mutants()) names.emplace_back(mutant.name);
  for (const conformance::zookeeper::Mutant& mutant : conformance::zookeeper::mutants())
    names.emplace_back(mutant.name);
  for (const conformance::etcd::Mutant& mutant : conformance::etcd::mutants()) names.emplace_back(mutant.name);
  sub.add_option("--mutant", arguments.mutant,
                 "make this rule of the simulated node wrong, to show that the comparison notices")
      ->check(CLI::IsMember(names))
      ->group("");
  add_server_programs(sub, arguments);
}

void add_explore(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "scenario, or its name in the catalogue")->required()->expected(1);
  sub.add_option(
      "--budget", arguments.budget,
      "bounds and faults from this file, as in scenarios/budgets; the scenario's own faults and steps are left out");
  sub.add_option("--max-faults", arguments.max_faults, "how many faults of the budget may strike in one run")
      ->check(CLI::Range(0, 16));
  sub.add_option(
         "--engine", arguments.engine,
         "stateful: fast, but not for every fault; reexecution: slow, the reference, for every fault; auto: the "
         "first that can")
      ->check(no_engine)
      ->capture_default_str();
  add_workers(sub, arguments);
  sub.add_option("--memory", arguments.memory, "stop at about this much memory, as in 512M or 4G")
      ->capture_default_str();
  sub.add_option("--time", arguments.time, "stop after this long, as in 60s or 10min (default: never)");
  CLI::Option* first = sub.add_flag(
      "--first", arguments.first,
      "stop at the first violation, with the fewest faults, and then events; clients that ask as written come first");
  sub.add_flag("--all-causes", arguments.all_causes,
               "show every minimal set of faults of the budget for each kind of violation, not only one with the "
               "fewest faults")
      ->excludes(first);
  sub.add_option("--checkpoint", arguments.checkpoint,
                 "write this file when a limit or Ctrl-C stops the search (default with --out: DIR/checkpoint)");
  sub.add_option("--resume", arguments.resume,
                 "continue from such a file; it is written again if the search is stopped again");
  sub.add_flag("--no-reduction", arguments.no_reduction,
               "switch off the partial-order reduction and the symmetry reduction");
  sub.add_option(
      "--dot", arguments.dot,
      "write the graph of states and events to this file, for Graphviz; small graphs only, by the re-execution engine");
  CLI::Option* liveness =
      sub.add_flag("--liveness", arguments.liveness,
                   "search for liveness violations instead: fair schedules in which a client that wants the lock never "
                   "gets it (livelock, starvation, a lost wake-up, a lock that a watchdog renews indefinitely)");
  sub.add_option("--runs", arguments.runs,
                 "with --liveness, if a limit stops the search: draw this many random schedules in which the faults "
                 "end, after which every client must get the lock (default: 1000)")
      ->needs(liveness)
      ->check(whole_number(0, 1'000'000'000));
  sub.add_flag("--no-trace", arguments.no_trace, "print the verdicts only");
  sub.add_option("--out", arguments.out, "folder for verdict.json and the counterexamples, which are scenarios");
}

void add_minimize(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "a scenario that violates a property, however it was found")
      ->required()
      ->expected(1);
  sub.add_option("--property", arguments.property, "the property to preserve (default: the worst that is violated)")
      ->check(no_property_to_search);
  sub.add_option("--seed", arguments.seed,
                 "the seed of the run that violates it, if the scenario leaves something open")
      ->check(whole_number(0, seed_most));
  sub.add_option("--states", arguments.states,
                 "state limit for each search; the re-execution engine gets a twentieth of it")
      ->check(whole_number(20, 1'000'000'000))
      ->capture_default_str();
  add_workers(sub, arguments);
  sub.add_option("--memory", arguments.memory, "abandon a search at about this much memory, as in 512M or 4G")
      ->capture_default_str();
  sub.add_option("--time", arguments.time,
                 "stop after this long, with the smallest scenario found so far (default: never)");
  sub.add_flag("--no-trace", arguments.no_trace, "leave out the trace");
  sub.add_option("--out", arguments.out,
                 "a .toml file for the smallest scenario, or a folder for it and minimize.json");
  sub.add_option("--format", arguments.format, "text for people, json for machines")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
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
  add_workers(sub, arguments);
  sub.add_option("--memory", arguments.memory,
                 "stop each search at about this much memory, as in 512M or 4G; as many are made at once as there are "
                 "workers, and as the machine has so much memory for")
      ->capture_default_str();
  sub.add_option("--time", arguments.time, "stop each search after this long, as in 60s (default: never)");
  sub.add_option("--out", arguments.out,
                 "folder for frontier.json, from which report draws a picture, and for scenarios: one for each set of "
                 "faults that breaks a lock, and what was searched without a violation");
  sub.add_option("--format", arguments.format, "text for people, json for machines, markdown: one table of all")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
}

void add_another_lock(CLI::App& sub, Arguments& arguments) {
  sub.add_option(
         "--algorithm", arguments.algorithm,
         "use another lock instead of the scenario's, of the catalogue or a file in Lua; [expect] is then ignored")
      ->check(no_algorithm);
}

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
  sub.add_option("--out", arguments.out,
                 "folder for bench.json, from which report draws a picture, and for the scenarios");
  sub.add_option("--format", arguments.format, "text for people, json for machines")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

/// Options of `run` for many runs.
void add_fuzzing(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--runs", arguments.runs,
                 "draw this many random schedules; what is found is saved to --out as scenarios")
      ->check(whole_number(1, most_runs));
  sub.add_option("--strategy", arguments.strategy,
                 "how schedules are drawn: random; pct (random priorities that change); swarm (a random subset of the "
                 "kinds of faults for each run); guided (mutates runs that covered something new); auto (explores if "
                 "the space is small, else fuzzes). With a strategy, [explore] says which faults may strike")
      ->check(no_strategy);
  sub.add_option("--budget", arguments.budget,
                 "bounds and faults from this file, as explore has it; the scenario's own faults are left out");
  sub.add_option("--max-faults", arguments.max_faults, "how many faults of the budget may strike in one run")
      ->check(CLI::Range(0, 16));
  sub.add_option("--depth", arguments.depth,
                 "for pct: the bug depth d, which is the number of ordering constraints to guess (default: 3)")
      ->check(CLI::Range(1, 16));
  sub.add_option("--shard", arguments.shard,
                 "make only this part of the runs, as in 3/16; lockproof merge adds the parts up");
  sub.add_option("--time", arguments.time, "stop after this long, as in 60s or 10min");
  sub.add_flag("--first", arguments.first, "stop at the first violation");
  add_workers(sub, arguments);
}

/// Options of `real` that do again what the simulator predicts.
void add_trace(CLI::App& sub, Arguments& arguments) {
  sub.add_flag("--trace", arguments.trace,
               "do again on real servers, event by event, what the simulator predicts, with clocks that are set, "
               "and compare every reply; works for the scenarios that explore and minimize write, too");
  sub.add_option("--repeat", arguments.repeat,
                 "with --trace: so many times, and the outcome must be the same each time; with --sweep: "
                 "runs of each fault that violated something (default: 3)")
      ->check(CLI::Range(1, 10'000));
}

/// Options of `real --soak`.
void add_soak(CLI::App& sub, Arguments& arguments) {
  CLI::Option* const soak =
      sub.add_option("--soak", arguments.soak,
                     "repeat the run for this long, as in 60s, each time with other random faults of --budget; a "
                     "violation is minimized in the simulator, and the result replayed on real servers");
  sub.add_option(
         "--budget", arguments.budget,
         "with --soak: bounds and faults from this file, as in scenarios/budgets; else the scenario's [explore]")
      ->needs(soak);
  sub.add_option("--max-faults", arguments.max_faults, "with --soak: how many faults may strike in one run")
      ->check(CLI::Range(0, 16))
      ->needs(soak);
  sub.add_option("--jobs", arguments.jobs,
                 "with --soak or --sweep: number of runs at the same time (default: eight, or two, for each core)")
      ->check(CLI::Range(1, 64));
  sub.add_flag("--first", arguments.first, "with --soak: stop at the first violation")->needs(soak);
}

void add_verbs(CLI::App& app, Arguments& arguments) {
  const auto verb = [&](const char* name, const char* help) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([&arguments, name] { arguments.verb = name; });
    return sub;
  };
  verb("demo", "Show one documented failure, in the simulator and on a real redis-server if there is one");
  for (auto* sub : {verb("run", "Run a scenario in the simulator, once or many times"),
                    verb("real", "Run a scenario on redis-server processes that lockproof starts, or on yours")}) {
    sub->add_option("FILE", arguments.paths, "scenario, or its name in the catalogue")->required()->expected(1);
    sub->add_option("--seed", arguments.seed,
                    "the seed for what the scenario leaves open; the same seed gives the same simulated run")
        ->check(whole_number(0, seed_most));
    sub->add_option("--out", arguments.out, "folder for history.jsonl, verdict.json and trace.txt");
    sub->add_flag("--no-trace", arguments.no_trace, "print the verdicts only");
    add_another_lock(*sub, arguments);
    add_outputs(*sub, arguments);
  }
  add_fuzzing(*app.get_subcommand("run"), arguments);
  add_trace(*app.get_subcommand("real"), arguments);
  add_soak(*app.get_subcommand("real"), arguments);
  add_sweep(*app.get_subcommand("real"), arguments);
  add_redis(*app.get_subcommand("real"), arguments);
  add_server_programs(*app.get_subcommand("real"), arguments);
  add_explore(*verb("explore", "Search every schedule of a scenario within its bounds"), arguments);
  add_another_lock(*app.get_subcommand("explore"), arguments);
  add_review_outputs(*app.get_subcommand("explore"), arguments);
  add_frontier(*verb("frontier", "Find which faults break a lock, and which do not"), arguments);
  CLI::App* merge = verb("merge", "Add up the results of all shards of run --runs N --shard I/M");
  merge->add_option("RESULT", arguments.paths, "their verdict.json, or the folders that have it")->required();
  merge->add_option("--out", arguments.out, "folder for the verdict.json of the whole");
  add_outputs(*merge, arguments);
  add_minimize(*verb("minimize", "Find the smallest cause of a violation"), arguments);
  add_explain(*verb("explain", "Say in five sentences what happened in a violation"), arguments);
  add_review(*verb("review", "Say which lock a job may use, from what a reviewer knows of it"), arguments);
  add_check(*verb("check", "Run scenarios and compare them with [expect]; for continuous integration"), arguments);
  add_review_outputs(*app.get_subcommand("check"), arguments);
  add_new(*verb("new", "Write a scenario to start from: a lock, a fault, and a comment for each line"), arguments);
  add_list(*verb("list", "List the locks, properties and kinds of faults, or the documented failures"), arguments);
  add_report(*verb("report", "Draw pictures, or write pages to step through, of what was written with --out"),
             arguments);
  add_bench(*verb("bench", "Measure the locks: acquisitions per second, waits, time to take over after a crash"),
            arguments);
  add_conformance(*verb("conformance", "Compare the simulated node of a service with a real one, command by command"),
                  arguments);
  verb("manual", "Print the man page, or the completion script for bash or zsh")
      ->add_option("WHAT", arguments.paths, "the man page, or the completion script for a shell")
      ->required()
      ->expected(1)
      ->check(CLI::IsMember({"man", "bash", "zsh"}));
}

/// CLI11 says only that an argument was not expected.
std::optional<std::string> wrong_verb(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> verbs;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(sub->get_name());
  if (std::find(verbs.begin(), verbs.end(), argv[1]) != verbs.end()) return std::nullopt;
  return fmt::format("lockproof has no command '{}'{}", argv[1], harness::suggestion(argv[1], verbs));
}

/// Where it is given a value, CLI11 complains of one file too many.
std::optional<std::string> wrong_option(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) return std::nullopt;
  const auto subs = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == argv[1]; });
  if (subs.empty()) return std::nullopt;
  std::vector<std::string> options;
  for (const CLI::Option* option : subs.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (int i = 2; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string whole = argv[i], word = whole.substr(0, whole.find('='));
    if (!word.starts_with("--") || std::ranges::find(options, word) != options.end()) continue;
    return fmt::format("lockproof {} has no option '{}'{}", argv[1], word, harness::suggestion(word, options));
  }
  return std::nullopt;
}

}  // namespace

void define_arguments(CLI::App& app, Arguments& arguments) {
  app.formatter(help_formatter(columns_of_terminal(STDOUT_FILENO)));
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("lockproof {}", harness::program_version));
  add_verbs(app, arguments);
}

Arguments parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app("lockproof: a proving ground for distributed locks", "lockproof");
  define_arguments(app, arguments);
  if (const auto wrong = wrong_verb(app, argc, argv)) {
    complain(*wrong);
    arguments.exit = exit_code::usage;
    return arguments;
  }
  try {
    app.parse(argc, argv);
    if (arguments.verb == "check" && arguments.format == "github" && arguments.trace) {
      throw CLI::ValidationError("--format", "github is not for --trace");
    }
    if (const std::string why = why_not_alone(arguments); !why.empty()) throw CLI::ValidationError(why);
    if (const std::string why = arguments.verb == "list" ? not_listed(arguments) : ""; !why.empty()) {
      throw CLI::ValidationError("list", why);
    }
    if (const std::string why = why_not_there(arguments); !why.empty()) throw CLI::ValidationError("--redis", why);
  } catch (const CLI::Success& e) {
    arguments.exit = app.exit(e) == 0 ? exit_code::met : exit_code::usage;
  } catch (const CLI::ParseError& e) {
    const std::string verb = argc > 1 && argv[1][0] != '-' ? fmt::format(" {}", argv[1]) : "";
    complain(wrong_option(app, argc, argv).value_or(e.what()));
    print_note(fmt::format("See lockproof{} --help\n", harness::printable(verb)));
    arguments.exit = exit_code::usage;
  }
  return arguments;
}

}  // namespace lockproof::cli
