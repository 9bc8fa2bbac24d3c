// SPDX-License-Identifier: Apache-2.0
// The steps that the comparison runs on both sides, as data. A step is of one of several clients, each with a
// connection and at most one session that it believes in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockproof::conformance::zookeeper {

inline constexpr int clients = 4;
inline constexpr const char* parent = "queue";  // of the nodes

struct Step {
  enum class Kind : std::uint8_t {
    connect,    // opens a session, over another connection
    request,    // a command of its session
    reconnect,  // goes on with its session over another connection
    overtake,   // the same, while the connection before is still open at its end
    silence,    // says nothing until its session has ended, while the others keep theirs
    hush,       // says nothing for nearly as long as its time-out
  };
  Kind kind = Kind::request;
  int client = 1;
  int ticks = 0;  // of connect: the time-out that it asks for
  std::string verb{}, name{};
  bool flag = false;  // of CREATE: numbered; of EXISTS: with a watch
  bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// Readable text, one step per line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::conformance::zookeeper
