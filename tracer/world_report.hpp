// SPDX-License-Identifier: Apache-2.0
// WorldReport: what became of a traced world, and its form as bytes, in which it leaves the world.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/nanos.hpp"

namespace lockproof::tracer {

/// Of a host, in the order of WorldSpec::hosts.
struct HostReport {
  std::string output, errors;  // all that it wrote
  int code = -1;               // exit code, or 128 and the signal; -1: it was still running at the end
  bool operator==(const HostReport&) const = default;
};

struct WorldReport {
  enum class End : std::uint8_t {
    finished,     // every client has ended
    stuck,        // everybody waits, for ever
    limit,        // of virtual time
    refused,      // a program did what is not served; `words` has its name
    not_allowed,  // the machine does not let us trace; `words` says what would allow it
  };
  End end = End::finished;
  std::string words;
  std::string digest;  // of the whole log: two runs are equal when these are
  std::string log;     // a line for each message, line and end; for each call, where that was asked for
  std::vector<HostReport> hosts;
  std::map<std::string, std::string> files;  // of WorldSpec::kept, by name
  std::uint64_t calls = 0, messages = 0, deliveries = 0, connections = 0, threads = 0;
  std::uint64_t cuts = 0;  // of threads that ran for long without a call; then equality is not promised
  Nanos ended_at = 0;
};

[[nodiscard]] std::string to_bytes(const WorldReport& report);
/// Throws std::runtime_error for bytes that to_bytes did not make.
[[nodiscard]] WorldReport report_from(std::string_view bytes);

}  // namespace lockproof::tracer
