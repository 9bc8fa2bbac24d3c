// SPDX-License-Identifier: Apache-2.0
// real --server traced: `lockproof real` of the same scenario is traced, with its servers and programs, and so has one
// virtual time with them.
#include "tracer/traced_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "execution/traced_execution.hpp"
#include "harness/input_error.hpp"

namespace lockproof::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const Arguments& arguments, const std::string& file, std::uint64_t seed,
                                  bool prints_trace) {
  std::vector<std::string> words{"real",          file, "--traced", "--seed", std::to_string(seed), "--format",
                                 arguments.format};
  if (!prints_trace) words.emplace_back("--quiet");
  if (!arguments.algorithm.empty()) words.insert(words.end(), {"--algorithm", arguments.algorithm});
  if (!arguments.out.empty()) words.insert(words.end(), {"--out", arguments.out});
  return words;
}

/// What decides how the output looks.
std::vector<std::string> kept_environment() {
  const char* const columns = std::getenv("COLUMNS");
  return columns ? std::vector{fmt::format("COLUMNS={}", columns)} : std::vector<std::string>{};
}

}  // namespace

int traced_command(const Arguments& arguments) {
  const std::string file = scenario_path(arguments.paths.front());
  const harness::Scenario scenario = scenario_from_file(file);
  execution::require_traceable(scenario);
  if (!arguments.junit.empty()) throw harness::InputError("--server traced writes no JUnit file; use --out");
  const bool prints_trace = !arguments.quiet;
  const std::uint64_t seed = arguments.seed.value_or(scenario.seed);
  tracer::TracedCommand command{
      .words = words_of(arguments, file, seed, prints_trace), .reads = {}, .out = arguments.out};
  command.reads.push_back(fs::absolute(file).parent_path());
  for (std::string& word : execution::words_of(arguments.programs, command.reads))
    command.words.push_back(std::move(word));
  command.environment = kept_environment();
  command.seed = seed;
  const tracer::WorldReport report = tracer::run_command(command);
  for (const auto& [name, content] : report.files) write_file(arguments.out + "/" + name, content);
  const tracer::HostReport& run = report.hosts.front();
  fmt::print("{}", run.output);
  fmt::print(stderr, "{}", run.errors);
  if (prints_trace) {
    fmt::print(stderr, "in virtual time: {} calls, {} messages; the run's digest is {}\n", report.calls,
               report.messages, report.digest);
  }
  if (report.cuts > 0)
    fmt::print(stderr, "a program computed for long without a system call: the same run again may differ\n");
  return run.code;
}

}  // namespace lockproof::cli
