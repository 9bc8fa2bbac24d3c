// SPDX-License-Identifier: Apache-2.0
// What is said of the leases for which a scenario's properties hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "execution/explore/lease_set.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/report/text/told_fault.hpp"

namespace lockproof::execution {
namespace {

using check::Verdict;

std::string edge_text(const LeaseEdge& edge) {
  if (!edge.holds_above) return fmt::format("is violated while lease >= {}", harness::in_seconds(edge.above));
  const std::string made_of = edge.terms.empty() ? "" : " = " + formula_of(edge);
  return fmt::format("holds while lease >= {}{}", harness::in_seconds(edge.above), made_of);
}

std::string set_text(const LeaseSet& set) {
  if (set.points.empty()) return "is unknown";
  const auto open = std::ranges::count(set.points, Verdict::unknown, &LeaseSet::Point::verdict);
  const std::string unknown =
      open == 0 ? "" : fmt::format("; unknown at {}", harness::plural(static_cast<std::uint64_t>(open), "lease"));
  if (!set.edges.empty()) {
    std::vector<std::string> all;
    for (const LeaseEdge& edge : set.edges) all.push_back(edge_text(edge));
    return fmt::format("{}{}", fmt::join(all, "; "), unknown);
  }
  const auto known =
      std::ranges::find_if(set.points, [](const auto& point) { return point.verdict != Verdict::unknown; });
  if (known == set.points.end()) return "is unknown";
  return fmt::format("{} at each lease that was searched{}", known->verdict == Verdict::holds ? "holds" : "is violated",
                     unknown);
}

}  // namespace

std::string formula_of(const LeaseEdge& edge) {
  std::string text;
  const auto add = [&](bool is_less, const std::string& what) {
    text += text.empty() ? (is_less ? "-" : "") : is_less ? " - " : " + ";
    text += what;
  };
  for (const LeaseTerm& term : edge.terms) {
    const std::int64_t times = term.times < 0 ? -term.times : term.times;
    add(term.times < 0, times == 1 ? term.name : fmt::format("{} x {}", times, term.name));
  }
  const Duration rest = edge.rest < Duration{} ? -edge.rest : edge.rest;
  if (rest != Duration{}) add(edge.rest < Duration{}, harness::in_seconds(rest));
  return text;
}

std::string lease_text(const LeaseReport& report) {
  std::string text = fmt::format("{}, every schedule and timing, lease = \"?\"\n\n", report.scenario.algorithm->name);
  Duration least{}, most{};
  bool has_terms = false;
  for (const LeaseSet& set : report.sets) {
    text += fmt::format("  {:<19} {}\n", set.property, set_text(set));
    if (!set.points.empty()) least = set.points.front().lease, most = set.points.back().lease;
    has_terms |= std::ranges::any_of(set.edges, [](const LeaseEdge& edge) { return !edge.terms.empty(); });
  }
  text += fmt::format(
      "\nleases from {} to {} were searched: some of them, and around each edge every one that decides it; {} "
      "searches, "
      "{}\n",
      harness::in_seconds(least), harness::in_seconds(most), report.searches, harness::plural(report.states, "state"));
  if (has_terms) {
    text += "a formula was confirmed on both sides at two other points: it is no proof for all durations\n";
  }
  if (report.was_stopped) text += "it was stopped: what is missing is unknown\n";
  return text;
}

}  // namespace lockproof::execution
