// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace lockproof::real {

struct CapturedRun {
  int status = 0;  // its exit code, or 128 and the number of the signal that ended it
  std::string output, errors;
};

/// Runs this program once more, with these words behind its name, without an input, and waits for its end. It dies with
/// the caller. REQUIRES: the process has one thread. Throws BadEnvironment.
[[nodiscard]] CapturedRun run_again(const std::vector<std::string>& words);

}  // namespace lockproof::real
