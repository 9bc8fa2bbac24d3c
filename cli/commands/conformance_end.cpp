// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/conformance_end.hpp"

#include <fmt/format.h>

#include "harness/check/expectation.hpp"

namespace lockproof::cli {

int end_of_conformance(const std::optional<ToldDifference>& difference,
                       const std::map<std::string, std::uint64_t>& replies) {
  if (difference) {
    fmt::print("\na difference, in {} of the steps\n\n{}\n  simulated: {}\n  real:      {}\n", difference->steps,
               difference->all, difference->simulated, difference->real);
    return check::exit_code::failed;
  }
  fmt::print("\nanswered\n");
  for (const auto& [kind, count] : replies) fmt::print("  {:>9}  {}\n", count, kind);
  fmt::print("\nno difference\n");
  return check::exit_code::met;
}

}  // namespace lockproof::cli
