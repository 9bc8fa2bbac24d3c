// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include "cli/options/choices.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/server_options.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/options/whole_number.hpp"
#include "conformance/etcd/mutants.hpp"
#include "conformance/memcached/mutants.hpp"
#include "conformance/postgres/mutants.hpp"
#include "conformance/redis/mutants.hpp"
#include "conformance/zookeeper/mutants.hpp"

namespace lockproof::cli {
namespace {

std::vector<std::string> names_of_mutants() {
  std::vector<std::string> names;
  for (const conformance::Mutant& mutant : conformance::mutants()) names.emplace_back(mutant.name);
  for (const conformance::memcached::Mutant& mutant : conformance::memcached::mutants())
    names.emplace_back(mutant.name);
  for (const conformance::postgres::Mutant& mutant : conformance::postgres::mutants()) names.emplace_back(mutant.name);
  for (const conformance::zookeeper::Mutant& mutant : conformance::zookeeper::mutants())
    names.emplace_back(mutant.name);
  for (const conformance::etcd::Mutant& mutant : conformance::etcd::mutants()) names.emplace_back(mutant.name);
  return names;
}

}  // namespace

void add_merge(CLI::App& sub, Arguments& arguments) {
  sub.add_option("RESULT", arguments.paths, "their verdict.json, or the folders that have it")->required();
  add_out(sub, arguments, "folder for the verdict.json of the whole");
  add_format(sub, arguments, "text for people, json for machines", {"text", "json"});
  add_junit(sub, arguments);
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
  add_out(sub, arguments, "folder for bench.json, from which report draws a picture, and for the scenarios");
  add_format(sub, arguments, "text for people, json for machines", {"text", "json"});
}

void add_conformance(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--service", arguments.service, "the service whose simulated servers are compared with real ones")
      ->check(CLI::IsMember({"redis", "memcached", "postgres", "zookeeper", "etcd"}))
      ->capture_default_str();
  sub.add_option("--commands", arguments.commands, "the number of commands to send")
      ->check(whole_number(1, most_runs))
      ->capture_default_str();
  add_seed(sub, arguments, "the seed of the random commands (default: 1)");
  sub.add_option("--nodes", arguments.nodes,
                 "of redis: send them to one node, to several nodes that replicate, fail over and restart, or half of "
                 "them to each")
      ->check(CLI::IsMember({"one", "several", "both"}))
      ->capture_default_str()
      ->group(hidden);
  sub.add_flag("--reference", arguments.reference,
               "print the page that says what is modelled and compared, and send nothing")
      ->group(hidden);
  sub.add_option("--mutant", arguments.mutant,
                 "make this rule of the simulated node wrong, to show that the comparison notices")
      ->check(CLI::IsMember(names_of_mutants()))
      ->group(hidden);
  add_server_programs(sub, arguments);
}

void add_manual(CLI::App& sub, Arguments& arguments) {
  sub.add_option("WHAT", arguments.paths, "the man page, or the completion script for a shell")
      ->required()
      ->expected(1)
      ->check(CLI::IsMember({"man", "bash", "zsh"}));
}

}  // namespace lockproof::cli
