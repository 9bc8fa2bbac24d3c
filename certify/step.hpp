// SPDX-License-Identifier: Apache-2.0
// Step: one thing that certification does to both servers, as data, so that a sequence of them can be cut down, printed
// and run again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::certify {

inline constexpr int connections = 4;
inline constexpr std::int64_t epoch_ms = 1'700'000'000'000;  // what the clock shows when a sequence begins

struct Step {
  enum class Kind : std::uint8_t { command, clock, reconnect, min_replicas };
  Kind kind = Kind::command;
  int connection = 0;          // of a command or reconnect
  std::vector<Value> words{};  // of a command
  std::int64_t clock_us = 0;   // of a clock: what it shows from now on
  std::size_t answered = 0;    // of a clock that lets a run of commands go on: how many have their replies before it
  bool paused = false;         // of such a clock: until it moves, CLIENT PAUSE is on
  int min_replicas = 0;        // of min-replicas-to-write: its value from now on
};

using Steps = std::vector<Step>;

/// What came of some steps: the replies in order, and what else the server sent meanwhile.
struct Outcome {
  std::vector<Reply> replies{};                           // one for each command; of SUBSCRIBE a b: a list of both
  std::vector<std::vector<Reply>> messages{connections};  // to each connection, by itself
  std::vector<std::string> effects{};                     // keyspace events: "set a"
  std::vector<std::string> propagated{};                  // what replicas were sent, one command a line
  std::string timing{};  // what is wrong with when the replies came; nothing: it is right
  bool operator==(const Outcome&) const = default;
};

/// A reply or a command as people read it.
[[nodiscard]] std::string shown(const Reply& reply);
[[nodiscard]] std::string shown(const std::vector<Value>& words);
/// A sequence for people, one step a line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::certify
