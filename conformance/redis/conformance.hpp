// SPDX-License-Identifier: Apache-2.0
// Conformance: the same random steps on simulated nodes and on real redis-servers; every reply must agree, error
// texts included, and every message to a subscriber, every keyspace event, every command that replicas get and what is
// in a node after it was promoted, copied, restarted. Most commands go to one node, the others to several.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "conformance/redis/coverage.hpp"
#include "conformance/redis/mutants.hpp"
#include "conformance/redis/step.hpp"

namespace lockproof::conformance {

inline constexpr std::uint64_t several_share = 2;  // one command in this many, if both kinds are requested

struct Options {
  enum class Nodes : std::uint8_t { both, one, several };
  std::uint64_t commands = 100'000;
  Nodes nodes = Nodes::both;
  std::uint64_t seed = 1;
  const Mutant* mutant = nullptr;  // a rule of the model that is deliberately wrong
  bool shrinks = true;             // a difference is reduced to the fewest steps that show it
  std::string program{};           // the path of another build of redis-server; empty: the one in PATH
};

/// The part of a report on sequences for one node, or for several.
struct Part {
  std::uint64_t commands = 0;
  std::uint64_t sequences = 0;
  std::uint64_t clock_steps = 0;
  Coverage coverage{};
};

struct Difference {
  Steps steps;  // the fewest that show it, at the last one
  std::string what;
  std::string simulated;
  std::string real;
  std::string test;  // a test for the model, with the real server's answer as what is expected
};

struct Report {
  std::string version;  // the real server's: "redis-server 7.0.15"
  Part one{}, several{};
  std::map<std::string, std::uint64_t> verbs{};   // how often each was sent, "other" for unknown ones
  std::map<std::string, std::uint64_t> errors{};  // how often each kind of error was answered
  std::optional<Difference> difference{};

  [[nodiscard]] std::uint64_t commands() const { return one.commands + several.commands; }
};

/// Ends at the first difference, and reduces it. Throws real::BadEnvironment.
[[nodiscard]] Report compare(const Options& options);

}  // namespace lockproof::conformance
