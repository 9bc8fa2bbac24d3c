// SPDX-License-Identifier: Apache-2.0
#include "harness/check/expectation.hpp"

#include <algorithm>

namespace lockproof::check {
namespace {

Agreement compare(const Finding& finding, const std::string& expected) {
  const Verdict found = finding.verdict;
  const bool asks_for_judgement = expected != name(Verdict::not_found) && expected != name(Verdict::unknown);
  if (!finding.judged && !asks_for_judgement) return Agreement::yes;
  if (!finding.judged && expected == name(Verdict::holds) && found != Verdict::unknown) return Agreement::yes;
  if (expected == name(Verdict::unknown)) return found == Verdict::unknown ? Agreement::yes : Agreement::no;
  if (found == Verdict::unknown) return Agreement::unknown;
  if (expected == name(Verdict::not_found)) return found == Verdict::violated ? Agreement::no : Agreement::yes;
  if (expected == name(Verdict::holds)) {
    return found == Verdict::violated ? Agreement::no : found == Verdict::holds ? Agreement::yes : Agreement::unknown;
  }
  if (found != Verdict::violated) return Agreement::no;
  if (expected == name(Verdict::violated) || expected == finding.kind) return Agreement::yes;
  return finding.kind_known ? Agreement::no : Agreement::unknown;
}

}  // namespace

std::string_view name(Agreement met) {
  switch (met) {
    case Agreement::yes: return "yes";
    case Agreement::no: return "no";
    case Agreement::unknown: return "unknown";
    case Agreement::unstated: return "unstated";
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

std::vector<ComparedFinding> compare(std::vector<Finding> findings,
                                     const std::optional<harness::Expectations>& expected) {
  std::vector<ComparedFinding> all;
  for (Finding& finding : findings) {
    if (!expected) {
      all.push_back({std::move(finding), "", Agreement::unstated});
      continue;
    }
    const auto stated = expected->find(finding.property);
    std::string word = stated != expected->end() ? stated->second : std::string(name(Verdict::not_found));
    const Agreement met = compare(finding, word);
    all.push_back({std::move(finding), std::move(word), met});
  }
  return all;
}

Agreement overall(const std::vector<ComparedFinding>& compared) {
  const auto any = [&](Agreement met) {
    return std::ranges::any_of(compared, [&](const auto& c) { return c.met == met; });
  };
  if (any(Agreement::no)) return Agreement::no;
  if (any(Agreement::unknown)) return Agreement::unknown;
  return any(Agreement::unstated) && !any(Agreement::yes) ? Agreement::unstated : Agreement::yes;
}

int exit_code_of(Agreement met) {
  switch (met) {
    case Agreement::yes:
    case Agreement::unstated: return exit_code::met;
    case Agreement::no: return exit_code::failed;
    case Agreement::unknown: return exit_code::unknown;
  }
  return exit_code::internal;
}

}  // namespace lockproof::check
