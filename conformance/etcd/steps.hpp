// SPDX-License-Identifier: Apache-2.0
// The steps that the comparison runs on both sides, as data. Leases and revisions are named by what came before: a
// lease by the place in which its id was put, a revision by how far it lies behind the present one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockproof::conformance::etcd {

inline constexpr int clients = 4;
inline constexpr int leases = 6;

struct Step {
  enum class Kind : std::uint8_t {
    request,    // a command
    watch,      // watches a key that an answer has shown, from that answer's revision on
    reconnect,  // ends all connections of the client
    stand,      // nothing happens for most of a short lease
    knock,      // a keep-alive of a short lease that has just run out
    sustain,    // a keep-alive of a short lease just before it runs out, and another one
    outlive,    // a key with a short lease is put and watched until the lease has ended
    restart,    // a key is put with a new lease, then the server is killed, and starts again
  };
  Kind kind = Kind::request;
  int client = 1;
  std::string verb{}, name{}, prefix{};
  int lease = 0;    // its place, from 1; 0: none
  int seconds = 0;  // of the lease that is granted
  int back = 0;     // of a revision, before the present one; of a watch: before the last answer that showed a key
  bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// Readable text, one step per line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::conformance::etcd
