// SPDX-License-Identifier: Apache-2.0
// Certification: the same random steps on the simulated node and on a real redis-server; every reply must agree, error
// texts included, and every message to a subscriber, every keyspace event and every command that replicas get.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "certify/plants.hpp"
#include "certify/step.hpp"

namespace lockproof::certify {

struct Options {
  std::uint64_t commands = 100'000;
  std::uint64_t seed = 1;
  const Plant* plant = nullptr;  // a rule of the model that is made wrong on purpose
};

struct Difference {
  Steps steps;  // as few as still show it; the last of them does
  std::string what;
  std::string simulated;
  std::string real;
  std::string test;  // a test for the model, with the real server's answer as what is expected
};

struct Report {
  std::string version;  // of the real server
  std::uint64_t commands = 0;
  std::uint64_t clock_steps = 0;
  std::uint64_t sequences = 0;
  std::map<std::string, std::uint64_t> verbs{};   // how often each was sent, "other" for what is none
  std::map<std::string, std::uint64_t> errors{};  // how often each kind of error was answered
  std::optional<Difference> difference{};
};

/// Ends at the first difference, and makes it small. Throws real::BadEnvironment.
[[nodiscard]] Report certify(const Options& options);

}  // namespace lockproof::certify
