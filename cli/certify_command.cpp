// SPDX-License-Identifier: Apache-2.0
#include "certify/certify.hpp"

#include <fmt/format.h>

#include <chrono>

#include "certify/reference.hpp"
#include "cli/commands.hpp"
#include "harness/check/expectation.hpp"

namespace lockproof::cli {
namespace {

namespace exit_code = check::exit_code;

constexpr std::uint64_t measurable_commands = 10'000;  // fewer say nothing about the rate

void print_counts(const certify::Report& report) {
  fmt::print("\ncommands sent\n");
  for (const auto& [verb, count] : report.verbs) fmt::print("  {:<14} {:>9}\n", verb, count);
  fmt::print("\nerrors answered\n");
  for (const auto& [error, count] : report.errors) fmt::print("  {:>9}  {}\n", count, error);
}

void print_difference(const certify::Difference& difference) {
  fmt::print("\na difference, in {} of the steps\n\n{}\n{} differs\n  simulated: {}\n  real:      {}\n\n{}",
             difference.steps.size(), certify::shown(difference.steps), difference.what, difference.simulated,
             difference.real, difference.test);
}

}  // namespace

int certify_command(const Arguments& arguments) {
  if (arguments.reference) {
    fmt::print("{}", certify::reference_page());
    return exit_code::met;
  }
  certify::Options options{.commands = arguments.commands, .seed = arguments.seed.value_or(1)};
  if (!arguments.plant.empty()) options.plant = certify::plant_named(arguments.plant);
  const auto begin = std::chrono::steady_clock::now();
  const certify::Report report = certify::certify(options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  fmt::print("redis-server {} and the simulated node: {} commands in {} sequences, {} steps of the clock, seed {}\n",
             report.version, report.commands, report.sequences, report.clock_steps, options.seed);
  if (report.difference) {
    print_difference(*report.difference);
  } else {
    print_counts(report);
    fmt::print("\nno difference\n");
  }
  std::fflush(stdout);
  if (report.commands < measurable_commands) return report.difference ? exit_code::failed : exit_code::met;
  fmt::print(stderr, "{:.1f} s, {:.0f} commands a second\n", seconds, static_cast<double>(report.commands) / seconds);
  return report.difference ? exit_code::failed : exit_code::met;
}

}  // namespace lockproof::cli
