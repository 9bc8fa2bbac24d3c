// SPDX-License-Identifier: Apache-2.0
#include "execution/traced_execution.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "tracer/traced_command.hpp"

namespace lockproof::execution {
namespace {

namespace fs = std::filesystem;

constexpr auto given_folder = "/run/given";  // in the traced world
constexpr int most_judged = 3;               // exit codes beyond are of runs that were not made

}  // namespace

void require_traceable(const harness::Scenario& scenario) {
  if (!scenario.ensemble) return;
  throw harness::InputError(scenario.file, 0,
                            "--server traced: servers of an ensemble do not find their leader in virtual time so far; "
                            "lockproof real runs it by the machine's clock");
}

std::vector<std::string> words_of(const real::Programs& programs, std::vector<std::string>& reads) {
  std::vector<std::string> words;
  for (const auto& [service, path] : programs) {
    words.insert(words.end(), {"--server", fmt::format("{}={}", harness::row_of(service).name, path)});
    reads.push_back(fs::absolute(path).parent_path());
  }
  return words;
}

TracedExecution execute_traced(const harness::Scenario& scenario, const real::Programs& programs) {
  const std::string file = fmt::format("{}/scenario.toml", given_folder), out = fmt::format("{}/run", given_folder);
  tracer::TracedCommand command{.words = {"real", file, "--traced", "--quiet", "--format", "json", "--seed",
                                          std::to_string(scenario.seed), "--out", out},
                                .reads = {},
                                .out = out};
  command.reads.push_back(fs::absolute(scenario.file).parent_path());
  for (std::string& word : words_of(programs, command.reads)) command.words.push_back(std::move(word));
  if (scenario.program && scenario.program->known_key.source != harness::KeySource::unasked)
    command.words.insert(command.words.end(), {"--known-key", key_text(scenario.program->known_key)});
  command.given[file] = to_toml(scenario, given_folder);
  command.seed = scenario.seed;
  const tracer::WorldReport report = tracer::run_command(command);
  const tracer::HostReport& run = report.hosts.front();
  const auto history = report.files.find("history.jsonl"), verdict = report.files.find("verdict.json");
  if (run.code > most_judged || history == report.files.end() || verdict == report.files.end())
    throw real::BadEnvironment(fmt::format("no run in virtual time: {}", run.errors));
  return {harness::from_jsonl(history->second), harness::report_from_json(verdict->second), report.digest,
          report.cuts > 0};
}

}  // namespace lockproof::execution
