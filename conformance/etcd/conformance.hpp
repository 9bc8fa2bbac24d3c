// SPDX-License-Identifier: Apache-2.0
// The same random requests on a simulated etcd and on a real one, of several clients: every reply must agree, what
// watches have told, and which leases have ended. Both count by the machine's clock. Where a request took so long that
// a lease may have ended meanwhile, the sequence is thrown away.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "conformance/etcd/mutants.hpp"
#include "conformance/etcd/steps.hpp"

namespace lockproof::conformance::etcd {

struct Options {
  std::uint64_t commands = 20'000;
  std::uint64_t seed = 1;
  const Mutant* mutant = nullptr;  // a rule of the model that is deliberately wrong
  bool shrinks = true;             // a difference is reduced to the fewest steps that show it
  std::string program{};           // the path of another build of etcd; empty: the one in PATH
};

struct Difference {
  Steps steps;  // the last step shows the difference
  std::string simulated, real;
};

struct Report {
  std::string version;  // the real server's
  std::uint64_t commands = 0, sequences = 0, thrown_away = 0;
  std::uint64_t ended = 0, sustained = 0, knocks = 0, restarts = 0, reconnections = 0, told = 0;
  milliseconds outlived{};                         // the longest that a real lease lived on when it was over
  std::map<std::string, std::uint64_t> replies{};  // how often each came: "GET: a key", "DELETE: 0"
  std::optional<Difference> difference{};
};

/// Ends at the first difference. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);

}  // namespace lockproof::conformance::etcd
