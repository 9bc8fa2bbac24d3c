// SPDX-License-Identifier: Apache-2.0
// The same random statements on a simulated PostgreSQL and on a real one, over four connections: every reply must
// agree, and which statements wait, for how long and with what result. Both have the same wall clock, which stands
// still between steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "conformance/postgres/mutants.hpp"
#include "conformance/postgres/steps.hpp"

namespace lockproof::conformance::postgres {

struct Options {
  std::uint64_t commands = 20'000;
  std::uint64_t seed = 1;
  const Mutant* mutant = nullptr;  // a rule of the model that is deliberately wrong
  bool shrinks = true;             // a difference is reduced to the fewest steps that show it
  std::string program{};           // the path of another build of postgres; empty: the one in PATH, or Debian's
};

struct Difference {
  Steps steps;  // the last step shows the difference
  std::string simulated, real;
};

struct Report {
  std::string version;  // the real server's
  std::uint64_t commands = 0, sequences = 0, waits = 0, ends = 0;
  std::map<std::string, std::uint64_t> replies{};  // how often each came: "take-row: nil", "commit: ROLLBACK"
  std::optional<Difference> difference{};
};

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);

}  // namespace lockproof::conformance::postgres
