// SPDX-License-Identifier: Apache-2.0
// What every comparison of a model with a real server is asked for, and what it reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lockproof::conformance {

struct Options {
  std::uint64_t commands = 20'000;
  std::uint64_t seed = 1;
  std::string mutant{};   // the name of a rule of the model that is made wrong; empty: none
  bool shrinks = true;    // a difference is reduced to the fewest steps that show it
  std::string program{};  // the path of another build of the server; empty: the one that the machine has
};

struct Difference {
  std::size_t steps = 0;  // of the sequence; the last one shows the difference
  std::string sequence;   // as text, one step a line
  std::string what;       // what differs; empty: the reply
  std::string simulated, real;
  std::string test;  // a test of the model with the real server's answer; empty: this service has no such text
};

using Counts = std::map<std::string, std::uint64_t>;

struct Report {
  std::string version;  // the real server's: "redis-server 7.0.15"
  std::uint64_t commands = 0, sequences = 0;
  std::uint64_t thrown_away = 0;         // sequences that the machine was late for
  std::uint64_t unconfirmed = 0;         // sequences with a difference that no replay showed again
  std::map<std::string, Counts> tables;  // by heading: "answered"
  std::optional<Difference> difference;

  /// 0 for a row that is not there.
  [[nodiscard]] std::uint64_t count_of(const std::string& heading, const std::string& row) const;
};

/// Headings of the tables of more than one service.
inline constexpr const char* answered = "answered";  // by command and reply: "DELETE: 0"
inline constexpr const char* counted = "counted";

/// The report as text for people.
[[nodiscard]] std::string text_of(const Report& report, const Options& options);
[[nodiscard]] std::string text_of(const Difference& difference);

}  // namespace lockproof::conformance
