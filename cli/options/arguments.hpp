// SPDX-License-Identifier: Apache-2.0
// Arguments: the command line as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/program/virtual_program.hpp"
#include "real/options.hpp"

namespace CLI {
class App;
}

namespace lockproof::cli {

/// judge: what its lines mean.
struct JudgeWords {
  std::string enters, leaves;  // empty: the usual words
  std::string held;            // empty: lines are read by their form
  std::string key;             // empty: learned
  std::string clocks = "1s";
};

struct Arguments {
  std::string verb;
  std::vector<std::string> paths;  // of scenarios, folders or runs
  std::optional<std::uint64_t> seed;
  std::string format = "text";      // text, json; of some verbs markdown, github
  std::string folder;               // list: of the scenarios; empty: the program's own
  std::string out;                  // folder for the run's files; empty: none
  std::string junit;                // file; empty: none
  bool real = false;                // check, bench: on real servers too
  bool explore = false;             // check: every schedule too
  std::string baseline;             // check: the results.json of an earlier one; empty: none
  bool html = false;                // report: pages to step through instead of pictures; explore: one as well
  bool walk = false;                // explore: a page of all states
  bool what_if = false;             // … with the runs without some of the faults, and with other leases
  std::vector<int> clients;         // bench: how many, in turn; empty: the default
  bool quiet = false;               // verdicts, and no trace
  std::optional<int> repeat;        // replay, sweep: so often
  std::vector<std::string> redis;   // real: addresses of servers to use; empty: start some
  std::string prefix;               // … of all keys there; empty: a unique one
  bool traces = false;              // real: servers and programs in one virtual time
  bool traced = false;              // real: the command itself is traced, by run or by sweep
  std::string known_key;            // … of its program's lock, as JSON; empty: it is learned
  real::Programs programs;          // real, check: other builds of servers
  std::vector<std::string> faults;  // sweep: of these kinds; empty: all
  bool allow_clients = false;       // check: also locks that are programs of their own
  std::string algorithm;            // run, explore, real: another lock than the scenario's; empty: its own
  std::string budget;               // explore, run --runs: a file; empty: the scenario's own [explore]
  std::optional<int> max_faults;    // … instead of the budget's
  unsigned workers = 0;             // threads, or runs at the same time; 0: as many as are good here
  std::size_t live = harness::live_processes;  // explore, minimize, frontier: processes of each client's program
  std::string memory = "4G", time;             // explore: limits; no time: none
  std::string engine = "auto";                 // explore
  bool no_reduction = false;                   // explore
  std::string redirect;                        // explore --format dot: a file for the graph; empty: standard output
  std::string other;                           // compare, explore --not-in: another lock, or a scenario
  std::string checkpoint, resume;              // explore: files; empty: none
  std::string service;                         // new NAME.lua: on which servers; empty: Redis
  std::string fault;                           // new, with an algorithm: a kind of fault; empty: none
  std::string property;                        // minimize, explain: the one to go by; empty: the worst
  std::string boundary;                        // explain: what the verdict is to be shown over; empty: nothing
  std::uint64_t states = 100'000;              // minimize, explain: of each search
  std::uint64_t review_states = 250'000;       // review: the same; more of its answers are known then, in its time
  std::uint64_t compared_states = 1'000'000;   // compare, explore --not-in: the same, most of it if time is left
  bool all = false;                            // review: everything instead of one page
  std::string find;                  // explore, run, soak: which violations, of first, fewest, causes; empty: default
  bool liveness = false;             // explore: search for schedules in which a client never gets the lock
  std::string strategy, shard;       // run --runs: how to draw, and which part; empty: random, all
  std::vector<std::string> planned;  // plan: the words of a command
  std::uint64_t tasks = 64;          // plan: of random runs, at most so many
  bool missing = false;              // join: instead, the tasks that have no answer
  std::vector<std::size_t> entries;  // frontier: of the budget, from 1; empty: all
  std::optional<std::size_t> topology;  // frontier: of an algorithm's searches this one, from 1
  std::optional<std::uint64_t> runs;    // run: this many random schedules instead of one; bench: of each kind
  JudgeWords judge;
  int exit = -1;  // not -1: nothing to do, leave with this code (help was shown, or an error)
};

/// Puts every command, with its options, into the app; parsing it fills in the arguments, which must outlive it.
void define_arguments(CLI::App& app, Arguments& arguments);

[[nodiscard]] Arguments parse_arguments(int argc, const char* const* argv);
/// The same of words, the first of which is "lockproof".
[[nodiscard]] Arguments parse_words(const std::vector<std::string>& words);

}  // namespace lockproof::cli
