// SPDX-License-Identifier: Apache-2.0
// lockproof's `run` alone, without the real world, to be built by other compilers.
#include <cstdlib>
#include <string>

#include "cli/commands.hpp"
#include "real/run.hpp"

namespace lockproof::real {
harness::History run(const harness::Scenario&, const Options&) { std::abort(); }
}  // namespace lockproof::real

int main(int argc, char** argv) {
  lockproof::cli::Arguments arguments;
  arguments.verb = "run";
  arguments.no_trace = true;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seed") {
      arguments.seed = std::stoull(argv[++i]);
    } else if (word == "--out") {
      arguments.out = argv[++i];
    } else if (word != "--no-trace") {
      arguments.paths.push_back(word);
    }
  }
  return lockproof::cli::run_command(arguments);
}
