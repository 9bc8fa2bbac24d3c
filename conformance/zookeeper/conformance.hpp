// SPDX-License-Identifier: Apache-2.0
// The same random requests on a simulated ZooKeeper and on a real one, of several clients: every reply must agree, what
// watches have told in front of it, and which sessions end by themselves and which do not. Both count by the machine's
// clock. Where the machine let a client wait for longer than its session may be silent, the sequence is thrown away. A
// difference counts when a replay of its sequence shows one again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "conformance/zookeeper/mutants.hpp"
#include "conformance/zookeeper/steps.hpp"

namespace lockproof::conformance::zookeeper {

struct Options {
  std::uint64_t commands = 20'000;
  std::uint64_t seed = 1;
  const Mutant* mutant = nullptr;  // a rule of the model that is deliberately wrong
  bool shrinks = true;             // a difference is reduced to the fewest steps that show it
  std::string program{};           // the path of another build's zookeeper.jar; empty: Debian's
};

struct Difference {
  Steps steps;  // the last step shows the difference
  std::string simulated, real;
};

struct Report {
  std::string version;  // the real server's
  std::uint64_t commands = 0, sequences = 0, thrown_away = 0;
  std::uint64_t unconfirmed = 0;  // sequences with a difference that no replay showed again
  std::uint64_t silences = 0, hushes = 0, reconnections = 0, overtakings = 0, told = 0;
  std::map<std::string, std::uint64_t> replies{};  // how often each came: "CREATE: a name", "DELETE: 0"
  std::optional<Difference> difference{};
};

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);

}  // namespace lockproof::conformance::zookeeper
