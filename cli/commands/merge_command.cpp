// SPDX-License-Identifier: Apache-2.0
// merge: the results of all shards of one fuzzing run, as the answer of the whole.
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/reports/fuzz_report.hpp"
#include "harness/input_error.hpp"
#include "harness/report/merged.hpp"

namespace lockproof::cli {
namespace {

using harness::FuzzPart;
using harness::FuzzReport;
using harness::InputError;

FuzzReport read_part(const std::string& path) {
  const std::string text = text_of(path);
  if (text.empty()) throw InputError(path, 0, "there is nothing to read: it is what run --runs writes with --out");
  try {
    return harness::fuzzed_from_json(text);
  } catch (const harness::DamagedReport& e) {
    throw InputError(path, 0, fmt::format("it is damaged: {}; make this shard again", e.what()));
  } catch (const std::exception&) {
    throw InputError(path, 0,
                     "it is no result of lockproof run --runs N --shard I/N, as --out or --format json has it");
  }
}

std::vector<FuzzPart> read_parts(const std::vector<std::string>& paths) {
  std::vector<FuzzPart> parts;
  for (const std::string& path : paths) {
    const std::string file = std::filesystem::is_directory(path) ? path + "/verdict.json" : path;
    parts.push_back({file, read_part(file)});
    if (parts.back().report.of == 1 && paths.size() > 1)
      throw InputError(file, 0, "it is of a whole fuzzing run, not of a shard of one");
  }
  return parts;
}

}  // namespace

int merge_command(const Arguments& arguments) {
  const std::vector<FuzzPart> parts = read_parts(arguments.paths);
  FuzzReport whole = harness::merged(parts);
  std::optional<harness::Expectations> expected;
  for (const check::Compared& compared : parts.front().report.run.properties) {
    if (compared.met == check::Met::unstated) continue;
    if (!expected) expected.emplace();
    expected->emplace(compared.finding.property, compared.expected);
  }
  whole.run.reproduce = reproduce_text(whole);
  judge(whole, expected);
  return show(whole, arguments);
}

}  // namespace lockproof::cli
