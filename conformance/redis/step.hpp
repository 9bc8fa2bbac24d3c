// SPDX-License-Identifier: Apache-2.0
// Step: one thing that the comparison does to both sides, as data, so that a sequence of them can be cut down, printed
// and run again. Most are for one node and for several; the last ones are for several nodes only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/core/shown.hpp"

namespace lockproof::conformance {

inline constexpr int connections = 4;
inline constexpr std::int64_t epoch_ms = 1'700'000'000'000;  // what the clock shows when a sequence begins

struct Step {
  enum class Kind : std::uint8_t {
    command,
    clock,
    reconnect,
    min_replicas,
    jump,       // the node's own clock is set by so much ahead, or back
    follow,     // REPLICAOF the peer: it asks that one for a copy
    copy,       // its master makes the copy, and will send all that it runs from now on
    load,       // the copy reaches it
    deliver,    // what its master has sent reaches it, so many of them
    promote,    // REPLICAOF NO ONE
    fail_over,  // the same, and the other replicas of its master follow it: they ask it for a copy
    restart,    // an orderly end, and a start
    power_cut,  // an end without warning, and a start
    evict       // a key, for want of memory
  };
  Kind kind = Kind::command;
  int node = 0;
  int peer = 0;
  std::size_t count = 0;       // of deliver
  int connection = 0;          // of a command or reconnect
  std::vector<Value> words{};  // of a command
  std::string key{};           // of evict
  std::int64_t clock_us = 0;   // of a clock: what it shows from now on; of a jump: by how much
  std::size_t answered = 0;    // of a clock that lets a run of commands go on: how many have their replies before it
  bool paused = false;         // of such a clock: until it moves, CLIENT PAUSE is on
  int min_replicas = 0;        // of min-replicas-to-write: its value from now on
};

using Steps = std::vector<Step>;

/// What is in the node afterwards is compared as a whole.
[[nodiscard]] inline bool changes_node(const Step& step) { return step.kind >= Step::Kind::load; }

/// What came of some steps: the replies in order, and what else the server sent meanwhile.
struct Outcome {
  std::vector<Reply> replies{};                           // one for each command; of SUBSCRIBE a b: a list of both
  std::vector<std::vector<Reply>> messages{connections};  // to each connection, by itself
  std::vector<std::string> effects{};                     // keyspace events: "set a"
  std::vector<std::string> propagated{};                  // what replicas were sent, one command a line
  std::string timing{};                 // what is wrong with when the replies came; nothing: it is right
  std::vector<std::string> contents{};  // of several nodes: what is in each of them, one key a line
  bool operator==(const Outcome&) const = default;
};

/// A reply or a command as people read it.
[[nodiscard]] std::string shown(const Step& step);
/// A sequence for people, one step a line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::conformance
