// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lateness.hpp"

#include <algorithm>
#include <optional>

#include "harness/check/properties.hpp"

namespace lockproof::check {
namespace {

constexpr std::string_view of_time[] = {"exercised", "bounded-takeover", "deadlock-freedom", "fault-tolerance",
                                        "loss-notification"};

bool depends_on_time(const Compared& c) { return std::ranges::count(of_time, c.finding.property) > 0; }

bool expects_clean(const Compared& c) {
  return c.expected == name(Verdict::not_found) || c.expected == name(Verdict::holds);
}

/// Whether this is a violation of a property that was expected to hold.
bool unexpected_violation(const Compared& c) {
  return c.met == Met::no && c.finding.verdict == Verdict::violated && expects_clean(c) && !depends_on_time(c);
}

bool expected_broken(const std::vector<Compared>& compared) {
  return std::ranges::any_of(
      compared, [](const Compared& c) { return !expects_clean(c) && c.expected != name(Verdict::unknown); });
}

bool has_outlived(const std::vector<Compared>& compared) {
  return std::ranges::any_of(compared, [](const Compared& c) { return c.finding.kind == "outlived"; });
}

}  // namespace

bool too_late(const harness::History& history) { return history.header.late_us.value_or(0) > late_us_allowed; }

bool lateness_may_explain(const std::vector<Compared>& compared) {
  if (expected_broken(compared)) return true;  // a lock that breaks may break in more ways when late
  // A holder past its deadline may lose an update; one that is entitled may not.
  const bool outlived = has_outlived(compared);
  return std::ranges::none_of(compared, [&](const Compared& c) {
    const bool of_outliving = c.finding.property == "mutual-exclusion" || c.finding.property == "resource-safety";
    return unexpected_violation(c) && !(outlived && of_outliving);
  });
}

bool worth_another_try(const std::vector<Compared>& compared, bool stated) {
  const bool missed = std::ranges::any_of(compared, [&](const Compared& c) {
    return c.met == Met::no || (stated && c.met == Met::unknown && !cannot_be_seen(c.finding));
  });
  return missed && lateness_may_explain(compared);
}

void give_time(std::vector<Finding>& findings, const harness::History& history, const harness::Scenario& scenario) {
  const Duration longer(history.header.late_us.value_or(0) * history.header.speedup * lateness_of_bounds);
  harness::Scenario lenient = scenario;
  for (std::optional<Duration>* bound : {&lenient.takeover, &lenient.progress, &lenient.waiting, &lenient.notice,
                                         &lenient.available, &lenient.answers}) {
    if (*bound) **bound += longer;
  }
  const std::vector<Finding> stays = judge(history, lenient);
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::violated || finding.lasts) continue;
    const auto still = std::ranges::find_if(
        stays, [&](const Finding& f) { return f.property == finding.property && f.verdict == Verdict::violated; });
    if (still != stays.end()) continue;
    finding.verdict = Verdict::unknown;
    finding.kind.clear();
    finding.what += "; the machine was late, and may be the reason";
  }
}

void leave_undecided(std::vector<Compared>& compared, const std::string& reason) {
  for (Compared& c : compared) {
    if (c.met == Met::yes || cannot_be_seen(c.finding)) continue;
    if (c.met == Met::unstated && c.finding.verdict != Verdict::unknown) continue;
    const bool stays = unexpected_violation(c) || c.finding.lasts;
    std::string what = reason;
    if (!c.finding.what.empty()) what = c.finding.what + "; " + what;
    c.finding.what = std::move(what);
    if (stays) continue;
    c.finding.verdict = Verdict::unknown;
    c.finding.kind.clear();
    if (c.met != Met::unstated) c.met = Met::unknown;
  }
}

}  // namespace lockproof::check
