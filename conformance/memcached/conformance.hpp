// SPDX-License-Identifier: Apache-2.0
// The same random commands on a simulated memcached and on a real one, at 20 times the speed; every reply must agree.
// What time it is for the model, the real one says: it counts seconds, and so does the model. A burst of commands
// during which it counts on says nothing, and its sequence is thrown away.
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
  const Mutant* mutant = nullptr;  // a rule of the model that is made wrong on purpose
  bool shrinks = true;             // a difference is cut down to as few steps as show it
  std::string program{};           // the path of another build of memcached; empty: the one in PATH
};

struct Difference {
  Steps steps;  // the last of them shows it
  std::string simulated, real;
};

struct Report {
  std::string version;  // of the real server
  std::uint64_t commands = 0, sequences = 0, ticks = 0, thrown_away = 0;
  std::map<std::string, std::uint64_t> replies{};  // how often: "gets: nil", "cas: EXISTS"
  std::optional<Difference> difference{};
};

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);

}  // namespace lockproof::conformance::memcached
