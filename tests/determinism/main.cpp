// SPDX-License-Identifier: Apache-2.0
// The simulator alone, to be built by other compilers: run SCENARIO --seed N --quiet --out FOLDER, as lockproof does
// it.
#include <cstdio>
#include <filesystem>
#include <string>

#include "harness/history/jsonl.hpp"
#include "harness/scenario/file/parse.hpp"
#include "sim/run.hpp"

int main(int argc, char** argv) {
  // run SCENARIO --seed N --quiet --out FOLDER
  if (argc != 8) return 64;
  const std::string folder = argv[7];
  const lockproof::harness::Scenario scenario = lockproof::harness::load_scenario(argv[2]);
  const std::string text = to_jsonl(lockproof::sim::run(scenario, std::stoull(argv[4])));
  std::filesystem::create_directories(folder);
  std::FILE* file = std::fopen((folder + "/history.jsonl").c_str(), "wb");
  if (!file) return 69;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written ? 0 : 69;
}
