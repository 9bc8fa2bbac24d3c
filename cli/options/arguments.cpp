// SPDX-License-Identifier: Apache-2.0
#include "cli/options/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "algorithms/catalogue.hpp"
#include "cli/options/check_options.hpp"
#include "cli/options/new_options.hpp"
#include "cli/options/server_options.hpp"
#include "cli/options/whole_number.hpp"
#include "conformance/plants.hpp"
#include "harness/check/expectation.hpp"
#include "harness/check/properties.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/version.hpp"
#include "sim/explore/fuzz/hunt.hpp"

namespace lockproof::cli {
namespace {

namespace exit_code = check::exit_code;

constexpr const char* footer =
    "Exit codes: 0 every expectation met, 1 an expectation failed, 2 unknown, 3 not deterministic, 4 nothing to "
    "minimize,\n64 wrong usage or a wrong scenario, 65 a wrong history, 69 something is missing on this machine, 70 an "
    "internal "
    "error.\n"
    "Start with: lockproof run scenarios/documented/leases/lease-outlived.toml";

constexpr std::uint64_t most_runs = 1'000'000'000'000;  // and commands: a year of them

void add_certify(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--commands", arguments.commands, "how many to send")
      ->check(whole_number(1, most_runs))
      ->capture_default_str();
  sub.add_option("--seed", arguments.seed, "of the commands that are drawn; 1 if not given")
      ->check(whole_number(0, seed_most));
  sub.add_option("--nodes", arguments.nodes,
                 "send them to one node, to several that replicate, fail over and restart, or half of them each")
      ->check(CLI::IsMember({"one", "several", "both"}))
      ->capture_default_str();
  sub.add_flag("--reference", arguments.reference,
               "print what is modelled and certified, which is docs/reference/redis.md, and send nothing");
  std::vector<std::string> names;
  for (const certify::Plant& plant : certify::plants()) names.emplace_back(plant.name);
  sub.add_option("--plant", arguments.plant, "make this rule of the simulated node wrong, to see that it is found")
      ->check(CLI::IsMember(names))
      ->group("");
  add_server_programs(sub, arguments);
}

/// Empty if it is one; else what CLI11 is to say.
std::string a_property_to_search(const std::string& name) {
  std::vector<std::string> names;
  for (const check::Property& property : check::properties()) {
    if (!property.watch) continue;
    if (property.name == name) return "";
    names.emplace_back(property.name);
  }
  return fmt::format("'{}' is no property that can be searched for{}", name, harness::suggestion(name, names));
}

void add_explore(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "scenario")->required()->expected(1);
  sub.add_option("--budget", arguments.budget,
                 "bounds and faults from this file, as in scenarios/budgets; the scenario's own faults and steps are "
                 "left out");
  sub.add_option("--max-faults", arguments.max_faults, "how many faults of the budget may strike in one run")
      ->check(CLI::Range(0, 16));
  sub.add_option("--engine", arguments.engine,
                 "interned: fast, not for every fault; replay: slow, for all, the reference; auto: the first that can")
      ->check(CLI::IsMember({"auto", "interned", "replay"}))
      ->capture_default_str();
  sub.add_option("--workers", arguments.workers, "threads; the answer is the same with any number. Default: all cores")
      ->check(whole_number(1, 256));
  sub.add_option("--memory", arguments.memory, "stop at about this much, as in 512M or 4G")->capture_default_str();
  sub.add_option("--time", arguments.time, "stop after this long, as in 60s or 10min; default: never");
  CLI::Option* first =
      sub.add_flag("--first", arguments.first,
                   "stop at the first violation: it has the fewest faults, and no shorter one has as few");
  sub.add_flag(
         "--all-causes", arguments.all_causes,
         "show each kind of violation with each least set of faults of the budget that is enough for it, not only "
         "with the fewest faults")
      ->excludes(first);
  sub.add_option("--checkpoint", arguments.checkpoint,
                 "write this file when a limit or Ctrl-C stops the search; with --out it is DIR/checkpoint");
  sub.add_option("--resume", arguments.resume, "go on from such a file; stopped again, it is written anew");
  sub.add_flag("--no-reduction", arguments.no_reduction,
               "leave nothing out: neither orders of events that commute, nor states that differ in which of the "
               "interchangeable clients is which");
  sub.add_option("--dot", arguments.dot,
                 "draw the states and the events between them into this file, for Graphviz; small graphs only, by the "
                 "replay engine");
  CLI::Option* progress =
      sub.add_flag("--progress", arguments.progress,
                   "search instead for fair schedules in which somebody who wants the lock never gets it: livelock, "
                   "starvation, a lost wake-up, a lock that a watchdog keeps for ever");
  sub.add_option("--runs", arguments.runs,
                 "with --progress, where a limit stops the search: draw this many schedules in which the faults stop; "
                 "then everybody must get the lock. 1000 if not given")
      ->needs(progress)
      ->check(whole_number(0, 1'000'000'000));
  sub.add_flag("--no-trace", arguments.no_trace, "print the verdicts only");
  sub.add_option("--out", arguments.out, "folder for verdict.json and the counterexamples, which are scenarios");
}

void add_minimize(CLI::App& sub, Arguments& arguments) {
  sub.add_option("FILE", arguments.paths, "a scenario that violates a property, however it was found")
      ->required()
      ->expected(1);
  sub.add_option("--property", arguments.property, "the one to go by; default: the worst that is violated")
      ->check(a_property_to_search);
  sub.add_option("--seed", arguments.seed, "of the run that violates it, where the scenario leaves something open")
      ->check(whole_number(0, seed_most));
  sub.add_option("--states", arguments.states,
                 "how many each search may visit before it is given up; of the replay engine a twentieth")
      ->check(whole_number(20, 1'000'000'000))
      ->capture_default_str();
  sub.add_option("--workers", arguments.workers, "threads; the answer is the same with any number. Default: all cores")
      ->check(whole_number(1, 256));
  sub.add_option("--memory", arguments.memory, "give a search up at about this much, as in 512M or 4G")
      ->capture_default_str();
  sub.add_option("--time", arguments.time, "stop after this long, with the smallest so far; default: never");
  sub.add_flag("--no-trace", arguments.no_trace, "leave out the trace");
  sub.add_option("--out", arguments.out,
                 "a .toml file for the smallest scenario, or a folder for it and minimize.json");
  sub.add_option("--format", arguments.format, "text for people, json for machines")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

/// Empty if it is one; else what CLI11 is to say.
std::string no_algorithm(const std::string& name) {
  if (find_algorithm(name)) return "";
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) names.emplace_back(algorithm.name);
  return fmt::format("'{}' is no algorithm{}", name, harness::suggestion(name, names));
}

void add_frontier(CLI::App& sub, Arguments& arguments) {
  sub.add_option("SUBJECT", arguments.paths,
                 "algorithms of the catalogue, or scenarios with faults in [explore]; nothing: all algorithms");
  sub.add_option("--budget", arguments.budget, "of a scenario: the faults to choose from, from this file");
  sub.add_option("--max-faults", arguments.max_faults,
                 "in one run; of an algorithm 1 if not given, and 2 where that is not too large")
      ->check(CLI::Range(0, 16));
  sub.add_option("--workers", arguments.workers, "threads; the answer is the same with any number. Default: all cores")
      ->check(whole_number(1, 256));
  sub.add_option("--memory", arguments.memory, "stop each search at about this much, as in 512M or 4G")
      ->capture_default_str();
  sub.add_option("--time", arguments.time, "stop each search after this long, as in 60s; default: never");
  sub.add_option(
      "--out", arguments.out,
      "folder for frontier.json, of which report makes a picture, and for scenarios: what breaks a lock, and "
      "what was searched and does not");
  sub.add_option("--format", arguments.format, "text for people, json for machines, markdown: one table of all")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
}

void add_another_lock(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--algorithm", arguments.algorithm,
                 "another lock of the catalogue instead of the scenario's; nothing is expected of it")
      ->check(no_algorithm);
}

void add_bench(CLI::App& sub, Arguments& arguments) {
  sub.add_option("ALGORITHM", arguments.paths, "of the catalogue; nothing: all")->check(no_algorithm);
  sub.add_option("--clients", arguments.clients, "how many, in turn; 2,8,32 if not given")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(2, 64));
  sub.add_flag("--real", arguments.real, "on real servers as well as in the simulator; takes some minutes");
  sub.add_option("--runs", arguments.runs, "how often to measure, for the medians; 3 if not given")
      ->check(whole_number(1, 1000));
  sub.add_option("--out", arguments.out,
                 "folder for bench.json, of which report makes a picture, and for the scenarios");
  sub.add_option("--format", arguments.format, "text for people, json for machines")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

/// Empty if it is one; else what CLI11 is to say.
std::string no_strategy(const std::string& name) {
  std::vector<std::string> names{"auto"};
  for (const sim::Strategy strategy : sim::strategies()) names.emplace_back(sim::name(strategy));
  if (std::find(names.begin(), names.end(), name) != names.end()) return "";
  return fmt::format("'{}' is no strategy{}", name, harness::suggestion(name, names));
}

/// Of run, for many runs.
void add_hunt(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--runs", arguments.runs, "this many schedules, drawn at random; findings go to --out as scenarios")
      ->check(whole_number(1, most_runs));
  sub.add_option(
         "--strategy", arguments.strategy,
         "how they are drawn: random, pct (priorities that change), swarm (each run with other kinds of faults), "
         "guided (changes runs that met something new), auto (explores if the space is small, else hunts). With "
         "a strategy, [explore] says which faults may strike")
      ->check(no_strategy);
  sub.add_option("--budget", arguments.budget,
                 "bounds and faults from this file, as explore has it; the scenario's own faults are left out");
  sub.add_option("--max-faults", arguments.max_faults, "how many faults of the budget may strike in one run")
      ->check(CLI::Range(0, 16));
  sub.add_option("--depth", arguments.depth, "of pct: how many orderings a violation may need; 3 if not given")
      ->check(CLI::Range(1, 16));
  sub.add_option("--shard", arguments.shard, "only this part of the runs, as in 3/16; lockproof merge adds them up");
  sub.add_option("--time", arguments.time, "stop after this long, as in 60s or 10min");
  sub.add_flag("--first", arguments.first, "stop at the first violation");
  sub.add_option("--workers", arguments.workers, "threads; the answer is the same with any number. Default: all cores")
      ->check(whole_number(1, 256));
}

/// Of real: what the simulator says, done again.
void add_replay(CLI::App& sub, Arguments& arguments) {
  CLI::Option* const replay = sub.add_flag(
      "--replay", arguments.replay,
      "do again step by step what the simulator says, with the same order of events and with clocks that are set, and "
      "compare every reply; of scenarios that explore or minimize wrote, too");
  sub.add_option("--repeat", arguments.repeat, "so often; it must come out the same each time")
      ->check(CLI::Range(1, 10'000))
      ->needs(replay);
}

/// Of real: random faults for a while.
void add_soak(CLI::App& sub, Arguments& arguments) {
  CLI::Option* const soak =
      sub.add_option("--soak", arguments.soak,
                     "run it again and again for so long, as in 60s, each time with other faults of --budget; what "
                     "breaks is made small, tried in the simulator, and re-enacted");
  sub.add_option(
         "--budget", arguments.budget,
         "with --soak: bounds and faults from this file, as in scenarios/budgets; else the scenario's [explore]")
      ->needs(soak);
  sub.add_option("--max-faults", arguments.max_faults, "with --soak: how many faults may strike in one run")
      ->check(CLI::Range(0, 16))
      ->needs(soak);
  sub.add_option("--jobs", arguments.jobs, "with --soak: runs at the same time; by default eight for each core")
      ->check(CLI::Range(1, 64))
      ->needs(soak);
  sub.add_flag("--first", arguments.first, "with --soak: stop at the first violation")->needs(soak);
}

void add_verbs(CLI::App& app, Arguments& arguments) {
  const auto verb = [&](const char* name, const char* help) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([&arguments, name] { arguments.verb = name; });
    return sub;
  };
  const auto outputs = [&](CLI::App* sub, bool page = false) {
    sub->add_option(
           "--format", arguments.format,
           page ? "text for people, json for machines, markdown: docs/reference/reenacted.md, with --replay only"
                : "text for people, json for machines")
        ->check(CLI::IsMember(page ? std::vector<std::string>{"text", "json", "markdown"}
                                   : std::vector<std::string>{"text", "json"}))
        ->capture_default_str();
    sub->add_option("--junit", arguments.junit, "also write the verdicts as JUnit XML to this file");
  };
  for (auto* sub : {verb("run", "Run a scenario in the simulator, once or many times"),
                    verb("real", "Run a scenario once on redis-server processes that lockproof starts, or on yours")}) {
    sub->add_option("FILE", arguments.paths, "scenario")->required()->expected(1);
    sub->add_option("--seed", arguments.seed,
                    "of what the scenario leaves open; the same seed gives the same simulated run")
        ->check(whole_number(0, seed_most));
    sub->add_option("--out", arguments.out, "folder for history.jsonl, verdict.json and trace.txt");
    sub->add_flag("--no-trace", arguments.no_trace, "print the verdicts only");
    add_another_lock(*sub, arguments);
    outputs(sub);
  }
  add_hunt(*app.get_subcommand("run"), arguments);
  add_replay(*app.get_subcommand("real"), arguments);
  add_soak(*app.get_subcommand("real"), arguments);
  add_redis(*app.get_subcommand("real"), arguments);
  add_server_programs(*app.get_subcommand("real"), arguments);
  add_explore(*verb("explore", "Search every schedule of a scenario within its bounds"), arguments);
  add_another_lock(*app.get_subcommand("explore"), arguments);
  outputs(app.get_subcommand("explore"));
  add_frontier(*verb("frontier", "Find which faults break a lock, and which do not"), arguments);
  CLI::App* merge = verb("merge", "Add up the results of all shards of run --runs N --shard I/N");
  merge->add_option("RESULT", arguments.paths, "their verdict.json, or the folders that have it")->required();
  merge->add_option("--out", arguments.out, "folder for the verdict.json of the whole");
  outputs(merge);
  add_minimize(*verb("minimize", "Find the smallest cause of a violation"), arguments);
  add_check(*verb("check", "Run scenarios against what they expect; for continuous integration"), arguments);
  outputs(app.get_subcommand("check"), true);
  add_new(*verb("new", "Write a scenario to begin with: a lock, a fault, and a comment to each line"), arguments);
  CLI::App* list = verb("list", "List what there is: algorithms, properties, faults");
  list->add_option("WHAT", arguments.paths, "algorithms, properties or faults; nothing: all")
      ->check(CLI::IsMember({"algorithms", "properties", "faults"}));
  list->add_option("--format", arguments.format, "text for people; markdown: docs/reference/catalogue.md, always whole")
      ->check(CLI::IsMember({"text", "markdown"}))
      ->capture_default_str();
  CLI::App* report = verb("report", "Draw the pictures of what was written with --out");
  report->add_option("RUN", arguments.paths, "folders written by run or real, check, bench")->required();
  report->add_option("--out", arguments.out, "folder for the pictures; nothing: where the first one is");
  add_bench(*verb("bench", "Measure the locks: acquisitions per second, waits, time to take over after a crash"),
            arguments);
  add_certify(*verb("certify", "Compare the simulated Redis node with a real one, command by command"), arguments);
  verb("manual", "Print the man page, or what completes commands in bash or zsh")
      ->add_option("WHAT", arguments.paths, "which of them")
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
    fmt::print(stderr, "lockproof: {}\n", harness::printable_lines(*wrong));
    arguments.exit = exit_code::usage;
    return arguments;
  }
  try {
    app.parse(argc, argv);
    if (arguments.verb == "check" && arguments.format == "markdown" && !arguments.replay) {
      throw CLI::ValidationError("--format", "markdown is for --replay only");
    }
    if (const std::string why = why_not_there(arguments); !why.empty()) throw CLI::ValidationError("--redis", why);
  } catch (const CLI::Success& e) {
    arguments.exit = app.exit(e) == 0 ? exit_code::met : exit_code::usage;
  } catch (const CLI::ParseError& e) {
    const std::string verb = argc > 1 && argv[1][0] != '-' ? fmt::format(" {}", argv[1]) : "";
    fmt::print(stderr, "lockproof: {}\nSee lockproof{} --help\n",
               harness::printable_lines(wrong_option(app, argc, argv).value_or(e.what())), harness::printable(verb));
    arguments.exit = exit_code::usage;
  }
  return arguments;
}

}  // namespace lockproof::cli
