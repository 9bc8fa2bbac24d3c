// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands.hpp"
#include "conformance/etcd/mutants.hpp"
#include "conformance/memcached/mutants.hpp"
#include "conformance/postgres/mutants.hpp"
#include "conformance/redis/mutants.hpp"
#include "conformance/redis/reference.hpp"
#include "conformance/zookeeper/mutants.hpp"
#include "harness/check/expectation.hpp"
#include "harness/input_error.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {
namespace {

namespace exit_code = check::exit_code;

constexpr std::uint64_t measurable_commands = 10'000;  // fewer say nothing about the rate

/// Throws InputError where an option is for another service than the one that is compared.
void require_options_of_service(const Arguments& arguments) {
  const bool redis = arguments.service == "redis";
  const auto refuse = [&](const char* option, const std::string& why) {
    throw harness::InputError(option, 0, fmt::format("{}, and --service is {}", why, arguments.service));
  };
  if (!redis && arguments.reference) refuse("--reference", "prints the page about Redis");
  if (!redis && arguments.nodes != "both") refuse("--nodes", "is for redis, whose nodes replicate");
  if (arguments.mutant.empty()) return;
  const auto is_it = [&](const auto& mutant) { return mutant.name == arguments.mutant; };
  const bool of_it = arguments.service == "memcached"   ? std::ranges::any_of(conformance::memcached::mutants(), is_it)
                     : arguments.service == "postgres"  ? std::ranges::any_of(conformance::postgres::mutants(), is_it)
                     : arguments.service == "zookeeper" ? std::ranges::any_of(conformance::zookeeper::mutants(), is_it)
                     : arguments.service == "etcd"      ? std::ranges::any_of(conformance::etcd::mutants(), is_it)
                                                        : std::ranges::any_of(conformance::mutants(), is_it);
  if (of_it) return;
  refuse("--mutant", fmt::format("'{}' is a rule of another service", arguments.mutant));
}

void print_counts(const conformance::Report& report) {
  fmt::print("\ncommands sent\n");
  for (const auto& [verb, count] : report.verbs) fmt::print("  {:<14} {:>9}\n", verb, count);
  fmt::print("\nerrors answered\n");
  for (const auto& [error, count] : report.errors) fmt::print("  {:>9}  {}\n", count, error);
}

void print_coverage(const conformance::Report& report) {
  for (const bool several : {false, true}) {
    const conformance::Part& part = several ? report.several : report.one;
    if (part.commands == 0) continue;
    fmt::print("\ntried with {}\n", several ? "several nodes" : "one node");
    for (const conformance::Tried& tried : conformance::to_be_tried()) {
      if (several ? tried.several : tried.one) fmt::print("  {:>9}  {}\n", part.coverage.of(tried.name), tried.name);
    }
  }
}

void print_part(const conformance::Part& part, const char* nodes) {
  if (part.commands == 0) return;
  fmt::print("{}: {} commands in {} sequences, {} steps of the clock\n", nodes, part.commands, part.sequences,
             part.clock_steps);
}

void print_difference(const conformance::Difference& difference) {
  fmt::print("\na difference, in {} of the steps\n\n{}\n{} differs\n  simulated: {}\n  real:      {}\n\n{}",
             difference.steps.size(), conformance::shown(difference.steps), difference.what, difference.simulated,
             difference.real, difference.test);
}

}  // namespace

int conformance_command(const Arguments& arguments) {
  require_options_of_service(arguments);
  if (arguments.service == "memcached") return conformance_memcached_command(arguments);
  if (arguments.service == "postgres") return conformance_postgres_command(arguments);
  if (arguments.service == "zookeeper") return conformance_zookeeper_command(arguments);
  if (arguments.service == "etcd") return conformance_etcd_command(arguments);
  if (arguments.reference) {
    fmt::print("{}", conformance::reference_page());
    return exit_code::met;
  }
  conformance::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.mutant.empty()) options.mutant = conformance::mutant_named(arguments.mutant);
  options.program = real::program_of(Service::redis, arguments.programs);
  using Nodes = conformance::Options::Nodes;
  options.nodes = arguments.nodes == "one" ? Nodes::one : arguments.nodes == "several" ? Nodes::several : Nodes::both;
  const auto begin = std::chrono::steady_clock::now();
  const conformance::Report report = conformance::compare(options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  fmt::print("{} and the simulated node, seed {}\n", report.version, options.seed);
  print_part(report.one, "one node");
  print_part(report.several, "several nodes");
  if (report.difference) {
    print_difference(*report.difference);
  } else {
    print_counts(report);
    print_coverage(report);
    fmt::print("\nno difference\n");
  }
  std::fflush(stdout);
  if (report.commands() < measurable_commands) return report.difference ? exit_code::failed : exit_code::met;
  fmt::print(stderr, "{:.1f} s, {:.0f} commands a second\n", seconds, static_cast<double>(report.commands()) / seconds);
  return report.difference ? exit_code::failed : exit_code::met;
}

}  // namespace lockproof::cli
