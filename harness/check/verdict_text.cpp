// SPDX-License-Identifier: Apache-2.0
#include "harness/check/verdict_text.hpp"

#include <algorithm>

namespace lockproof::check {

std::string_view text_of(std::string_view word) { return word == name(Verdict::not_found) ? "no violation" : word; }

std::string text_of(const Finding& finding) {
  std::string text(text_of(name(finding.verdict)));
  if (!finding.kind.empty()) text += " (" + finding.kind + ")";
  return text;
}

bool re_enters(const harness::Scenario& scenario) {
  const auto acquires = [](const harness::Work& step) { return step.kind == harness::Work::Kind::acquire; };
  return std::ranges::any_of(scenario.clients, [&](const harness::ClientSpec& client) {
    return std::ranges::any_of(client.plan.work, acquires);
  });
}

Finding nobody_re_enters() {
  Finding finding;
  finding.what = "nobody re-enters";
  finding.judged = false;
  return finding;
}

}  // namespace lockproof::check
