// SPDX-License-Identifier: Apache-2.0
// The frontier of faults of some locks, for people and for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/text/style.hpp"

namespace lockproof::harness {

using Labels = std::vector<std::string>;

/// A least set of faults that breaks a property.
struct FrontierSet {
  Labels faults;
  std::string kind;  // of the violation; empty: the property has one
  int events = 0;    // of the shortest schedule
  std::string file;  // that shows it; empty: none was written
};

/// Kinds of faults of which no set breaks a property, and no more can be added.
struct HarmlessSet {
  Labels faults;
  std::string file;  // to search it again; empty: none was written
};

/// A kind of fault of which the search shows nothing.
struct UntriedFault {
  std::string fault;
  std::string why;  // "no schedule has it"
};

struct FrontierProperty {
  std::string property;
  std::vector<FrontierSet> enough;
  std::vector<HarmlessSet> harmless;
  std::string vacuous;  // why nothing was shown of it, whatever was searched; empty: something was
};

/// What one search says of one lock.
struct FrontierReport {
  std::string algorithm, topology;
  std::string scope;  // "2 clients x 1 round"
  Labels measures;    // as of measures_of: "lease 10s"
  Labels assumptions;
  Labels kinds;  // of the budget
  int max_faults = 0;
  int searched_faults = 0;  // all sets of at most so many
  std::string stopped;      // why not all; empty: all
  std::string vacuous;      // the same of all of them
  std::vector<UntriedFault> not_tried;
  std::string engine;
  std::uint64_t states = 0, transitions = 0;
  double seconds = 0;
  std::vector<FrontierProperty> properties;
  std::string reproduce;
};

[[nodiscard]] std::string frontier_json(const std::vector<FrontierReport>& reports);
/// What frontier_json wrote. Throws nlohmann::json::exception for anything else.
[[nodiscard]] std::vector<FrontierReport> frontiers_from_json(const std::string& text);
/// What one search found, for a terminal.
[[nodiscard]] std::string frontier_text(const FrontierReport& report, const Style& style);
/// One row for each lock, for a page.
[[nodiscard]] std::string frontier_markdown(const std::vector<FrontierReport>& reports);

}  // namespace lockproof::harness
