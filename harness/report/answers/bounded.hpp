// SPDX-License-Identifier: Apache-2.0
// What explain --boundary found: how a verdict changes with one amount of a scenario. An edge lies between two
// neighbours of the grid that were both searched; where one of them was too large to search there is no edge, but a
// gap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockproof::harness {

struct BoundaryPoint {
  enum class Answer : std::uint8_t { holds, breaks, unknown };
  std::int64_t value = 0;  // microseconds, or billionths; without its sign
  std::string text;        // "10.041 s", "-1.02%"
  Answer answer = Answer::unknown;
  std::uint64_t states = 0;
};

/// Where paper says that the edge is.
struct DerivedEdge {
  std::string formula;       // "both are inside iff …"
  std::string record;        // the decision record that derives it
  std::string below, above;  // the last value on one side of it and the first on the other; empty: no edge in the range
  bool agrees = false;       // with what was searched
};

struct BoundaryReport {
  std::string file, title, property;
  std::string key, what;  // "fault-1.for", "how long client-1 is paused"
  std::string now;        // as the scenario has it
  std::string grid;
  std::vector<BoundaryPoint> points;  // all that were searched, the least first
  std::optional<DerivedEdge> derived;
  std::string reproduce, out;
};

[[nodiscard]] std::string_view name(BoundaryPoint::Answer answer);
/// Neighbours in the points between which the answer changes: the index of the first of each two.
[[nodiscard]] std::vector<std::size_t> edges(const BoundaryReport& report);
[[nodiscard]] std::string boundary_text(const BoundaryReport& report);
[[nodiscard]] std::string boundary_json(const BoundaryReport& report);
[[nodiscard]] std::string boundary_svg(const BoundaryReport& report);

}  // namespace lockproof::harness
