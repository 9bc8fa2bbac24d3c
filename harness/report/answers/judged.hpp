// SPDX-License-Identifier: Apache-2.0
// What the logs of an incident tell, as text and as JSON. Only the text names workers, hosts and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/instant.hpp"

namespace lockproof::harness {

enum class Certainty : std::uint8_t { none, possible, certain };
[[nodiscard]] std::string_view name(Certainty certainty);

struct JudgedClient {
  std::string name, connection;
  std::string worker;                                    // empty: its log is not known
  std::optional<std::pair<Duration, Duration>> ahead{};  // of its clock, against the server's
  std::size_t grants = 0;
};

struct JudgedProperty {
  std::string name;
  Certainty violated = Certainty::none;
  std::string what;
};

struct JudgedGap {
  std::string client;
  Duration from{}, lease_end{};
  std::optional<Duration> to{};  // nothing: it was not heard of again
  bool silent = true;
};

struct Reproduction {
  std::string file;  // where the scenario was written; empty: nowhere
  std::string lock;
  std::string cause;  // what the gap is there: "a pause"
  bool shows_it = false;
  std::string what;  // what its run shows
};

struct JudgedReport {
  std::string key;                   // empty: there is no log of the server, and times are the workers' own
  std::vector<std::string> locks{};  // that the workers' lines name, where there is no log of the server
  std::string begin;                 // the time of day of the log's first line
  Duration length{};
  std::size_t commands = 0, grants = 0;
  std::optional<Duration> lease{}, usual_work{};
  Duration clocks{};  // no clock was taken to be further off
  std::vector<JudgedClient> clients;
  std::vector<JudgedProperty> properties;
  std::vector<JudgedGap> gaps;
  std::vector<std::string> nearest;  // locks of the catalogue
  std::size_t shared = 0, sorts = 0;
  std::optional<Reproduction> reproduction{};
  bool has_doubts = false;                     // what was not violated may have been all the same
  std::vector<std::string> remarks;            // what could not be told, and why
  std::vector<std::string> anonymous_remarks;  // the same without names

  [[nodiscard]] Certainty worst() const;
};

[[nodiscard]] std::string judged_text(const JudgedReport& report);
[[nodiscard]] std::string judged_json(const JudgedReport& report);

}  // namespace lockproof::harness
