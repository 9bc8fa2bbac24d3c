// SPDX-License-Identifier: Apache-2.0
#include "harness/check/expectation.hpp"

#include <algorithm>

namespace lockproof::check {
namespace {

Met compare(const Finding& finding, const std::string& expected) {
  const Verdict found = finding.verdict;
  const bool asks_for_judgement = expected != name(Verdict::not_found) && expected != name(Verdict::unknown);
  if (!finding.judged && !asks_for_judgement) return Met::yes;
  if (!finding.judged && expected == name(Verdict::holds) && found != Verdict::unknown) return Met::yes;
  if (expected == name(Verdict::unknown)) return found == Verdict::unknown ? Met::yes : Met::no;
  if (found == Verdict::unknown) return Met::unknown;
  if (expected == name(Verdict::not_found)) return found == Verdict::violated ? Met::no : Met::yes;
  if (expected == name(Verdict::holds)) {
    return found == Verdict::violated ? Met::no : found == Verdict::holds ? Met::yes : Met::unknown;
  }
  if (found != Verdict::violated) return Met::no;
  if (expected == name(Verdict::violated) || expected == finding.kind) return Met::yes;
  return finding.kind_known ? Met::no : Met::unknown;
}

}  // namespace

std::string_view name(Met met) {
  switch (met) {
    case Met::yes: return "yes";
    case Met::no: return "no";
    case Met::unknown: return "unknown";
    case Met::unstated: return "unstated";
  }
  return "?";
}

std::optional<harness::Expectations> expected_of(const harness::Scenario& scenario,
                                                 std::optional<harness::Expectations> harness::Expect::*world) {
  if (!scenario.expect.empty()) return scenario.expect.*world;
  if (scenario.program && world != &harness::Expect::explore) return harness::Expectations{};
  harness::Expectations all;
  for (const std::string_view property : names()) all.emplace(property, name(Verdict::holds));
  return all;
}

std::vector<Compared> compare(std::vector<Finding> findings, const std::optional<harness::Expectations>& expected) {
  std::vector<Compared> all;
  for (Finding& finding : findings) {
    if (!expected) {
      all.push_back({std::move(finding), "", Met::unstated});
      continue;
    }
    const auto stated = expected->find(finding.property);
    std::string word = stated != expected->end() ? stated->second : std::string(name(Verdict::not_found));
    const Met met = compare(finding, word);
    all.push_back({std::move(finding), std::move(word), met});
  }
  return all;
}

Met overall(const std::vector<Compared>& compared) {
  const auto any = [&](Met met) { return std::ranges::any_of(compared, [&](const auto& c) { return c.met == met; }); };
  if (any(Met::no)) return Met::no;
  if (any(Met::unknown)) return Met::unknown;
  return any(Met::unstated) && !any(Met::yes) ? Met::unstated : Met::yes;
}

int exit_code_of(Met met) {
  switch (met) {
    case Met::yes:
    case Met::unstated: return exit_code::met;
    case Met::no: return exit_code::failed;
    case Met::unknown: return exit_code::unknown;
  }
  return exit_code::internal;
}

}  // namespace lockproof::check
