// SPDX-License-Identifier: Apache-2.0
// The same random commands on a simulated memcached and on a real one, at 20 times the speed; every reply must agree.
// The model takes its time from the real server's count of seconds. If that count advances during a burst of commands,
// nothing can be compared, and the sequence is discarded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "conformance/memcached/mutants.hpp"
#include "conformance/memcached/steps.hpp"

namespace lockproof::conformance::memcached {

struct Options {
  std::uint64_t commands = 20'000;
  std::uint64_t seed = 1;
  const Mutant* mutant = nullptr;  // a rule of the model that is deliberately wrong
  bool shrinks = true;             // a difference is reduced to the fewest steps that show it
  std::string program{};           // the path of another build of memcached; empty: the one in PATH
};

struct Difference {
  Steps steps;  // the last step shows the difference
  std::string simulated, real;
};

struct Report {
  std::string version;  // the real server's
  std::uint64_t commands = 0, sequences = 0, ticks = 0, thrown_away = 0;
  std::map<std::string, std::uint64_t> replies{};  // how often each came: "gets: nil", "cas: EXISTS"
  std::optional<Difference> difference{};
};

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);

}  // namespace lockproof::conformance::memcached
