// SPDX-License-Identifier: Apache-2.0
// Step: one thing that the comparison does to both sides, as data, so that a sequence of them can be cut down, printed
// and run again. Most are for one node and for several; the last ones are for several nodes only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/core/shown.hpp"

namespace lockproof::conformance::redis {

inline constexpr int connections = 4;
inline constexpr std::int64_t epoch_ms = 1'700'000'000'000;  // what the clock shows when a sequence begins

struct Step {
  enum class Kind : std::uint8_t {
    command,
    clock,
    reconnect,
    min_replicas,
    jump,       // the node's own clock jumps forward or back
    follow,     // REPLICAOF the peer: it asks the peer for a copy
    copy,       // its master makes the copy, and sends all commands that it runs from now on
    load,       // the copy reaches the node
    deliver,    // the next `count` commands of its master reach it
    promote,    // REPLICAOF NO ONE
    fail_over,  // the same, and the other replicas of its master follow it: they ask it for a copy
    restart,    // an orderly end, and a start
    power_cut,  // an end without warning, and a start
    evict       // a key is evicted for lack of memory
  };
  Kind kind = Kind::command;
  int node = 0;
  int peer = 0;
  std::size_t count = 0;       // for deliver
  int connection = 0;          // for a command or reconnect
  std::vector<Value> words{};  // for a command
  std::string key{};           // for evict
  std::int64_t clock_us = 0;   // for clock: what it shows from now on; for jump: by how much
  std::size_t answered = 0;    // for a clock step that releases held commands: how many are answered before it
  bool paused = false;         // for such a clock step: CLIENT PAUSE is on until then
  int min_replicas = 0;        // for min-replicas-to-write: its value from now on
};

using Steps = std::vector<Step>;

/// Whether the node's whole contents are compared after the step.
[[nodiscard]] inline bool changes_node(const Step& step) { return step.kind >= Step::Kind::load; }

/// The results of some steps: the replies in order, and what else the server sent meanwhile.
struct Outcome {
  std::vector<Reply> replies{};                           // one for each command; SUBSCRIBE a b: a list of both
  std::vector<std::vector<Reply>> messages{connections};  // to each connection, by itself
  std::vector<std::string> effects{};                     // keyspace events: "set a"
  std::vector<std::string> propagated{};                  // what replicas were sent, one command a line
  std::string timing{};                                   // what is wrong with the times of the replies; empty: nothing
  std::vector<std::string> contents{};                    // for several nodes: the contents of each, one key per line
  bool operator==(const Outcome&) const = default;
};

/// A step as readable text.
[[nodiscard]] std::string shown(const Step& step);
/// A sequence as readable text, one step per line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::conformance::redis
