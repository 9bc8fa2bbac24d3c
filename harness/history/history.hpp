// SPDX-License-Identifier: Apache-2.0
// History: what happened in one run, in order. The one format between the worlds and everything that judges or draws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::harness {

inline constexpr int history_version = 2;

enum class HostKind : std::uint8_t { client, server, resource };

struct Host {
  std::string name;
  HostKind kind = HostKind::client;
  bool operator==(const Host&) const = default;
};

struct Header {
  std::string world;          // "simulated" or "real"
  std::string scenario;       // its name
  std::string scenario_file;  // as it was given on the command line
  std::string scenario_text;  // the TOML itself, so that a history stands alone
  std::uint64_t seed = 0;
  std::int64_t speedup = 1;  // real runs: scenario seconds per second
  /// Real runs: by how much the machine was late at most, in its own microseconds, without delays that faults caused.
  std::optional<std::int64_t> late_us;
  std::string node_stamps;  // which clock stamped the servers' events, in words
  /// Whether the history records what the servers did to their keys, and in which order they ran commands.
  bool sees_servers = true;
  int permits = 1;  // so many clients may be inside the lock at once
  std::vector<Host> hosts;
  [[nodiscard]] const std::string& host_name(HostIndex i) const { return hosts.at(static_cast<std::size_t>(i)).name; }
  [[nodiscard]] HostKind host_kind(HostIndex i) const { return hosts.at(static_cast<std::size_t>(i)).kind; }
  bool operator==(const Header&) const = default;
};

struct History {
  Header header;
  std::vector<Event> events;
  [[nodiscard]] const std::string& host_name(HostIndex i) const { return header.host_name(i); }
  [[nodiscard]] HostKind host_kind(HostIndex i) const { return header.host_kind(i); }
  [[nodiscard]] HostIndex host_named(std::string_view name) const;  // no_host if there is none
  bool operator==(const History&) const = default;
};

}  // namespace lockproof::harness
