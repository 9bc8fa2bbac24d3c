// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lateness.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "harness/check/excuses.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::History;
using harness::Scenario;

bool expects_clean(const ComparedFinding& c) {
  return c.expected == name(Verdict::not_found) || c.expected == name(Verdict::holds);
}

/// Whether this is a violation of a property that was expected to hold, and lateness cannot explain it.
bool decides(const ComparedFinding& c) {
  return c.met == Agreement::no && c.finding.verdict == Verdict::violated && expects_clean(c) && !c.excused;
}

/// The bounds that lateness can make a run miss; a period is none of them.
constexpr std::optional<Duration> Scenario::*bounds_of_time[] = {
    &Scenario::takeover, &Scenario::progress, &Scenario::waiting, &Scenario::notice, &Scenario::available,
    &Scenario::answers,  &Scenario::entry,    &Scenario::settled, &Scenario::early};

bool has_bound_of_time(const Property& property) {
  return property.bound && std::ranges::find(bounds_of_time, property.bound) != std::end(bounds_of_time);
}

Scenario with_longer_bounds(const Scenario& scenario, Duration longer) {
  Scenario lenient = scenario;
  for (const auto bound : bounds_of_time) {
    if (lenient.*bound) *(lenient.*bound) += longer;
  }
  return lenient;
}

/// Calls `found` for each violation of the property, in order, until it returns true.
template <class Visit>
void for_each_violation(const Property& property, const History& history, const Scenario& scenario, Visit found) {
  const std::unique_ptr<Monitor> monitor = property.watch(history.header, scenario);
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    monitor->see(i, history.events[i]);
    const Finding finding = monitor->finding();
    if (finding.verdict != Verdict::violated) continue;
    if (found(finding)) return;
    monitor->forget();
  }
}

/// Where the violations begin that would be there with these bounds, too.
std::set<std::size_t> begins_of_violations(const Property& property, const History& history, const Scenario& lenient) {
  std::set<std::size_t> begins;
  for_each_violation(property, history, lenient, [&](const Finding& finding) {
    begins.insert(finding.events.front());
    return false;
  });
  return begins;
}

/// The first violation that lateness cannot explain.
std::optional<Finding> beyond_lateness(const Property& property, const History& history, const Scenario& scenario) {
  const Excuses excuses(history, scenario);
  if (property.check == renewal_rate) {
    Finding finding = renewal_rate_despite(history, scenario, excuses.late().of_bounds());
    return finding.verdict == Verdict::violated ? std::optional(std::move(finding)) : std::nullopt;
  }
  if (!property.watch) return std::nullopt;
  std::set<std::size_t> begins;
  const bool of_time = has_bound_of_time(property);
  if (of_time) {
    const Scenario lenient = with_longer_bounds(scenario, excuses.late().of_bounds());
    begins = begins_of_violations(property, history, lenient);
  }
  const auto is_beyond = [&](const Finding& finding) {
    if (finding.lasts) return true;
    if (of_time && !begins.contains(finding.events.front())) return false;
    return of_time ? finding.kind != "false-alarm" : !excuses.may_explain(property.name, finding);
  };
  std::optional<Finding> found;
  for_each_violation(property, history, scenario, [&](const Finding& finding) {
    if (is_beyond(finding)) found = finding;
    return found.has_value();
  });
  return found;
}

}  // namespace

bool too_late(const History& history) { return history.header.late_us.value_or(0) > late_us_allowed; }

RealFindings judge_real(const History& history, const Scenario& scenario) {
  RealFindings findings{judge(history, scenario), {}};
  findings.excused.assign(findings.all.size(), false);
  if (!too_late(history)) return findings;
  const auto properties = properties_of(scenario);
  for (std::size_t i = 0; i < findings.all.size(); ++i) {
    Finding& finding = findings.all[i];
    if (finding.verdict != Verdict::violated) continue;
    if (std::optional<Finding> beyond = beyond_lateness(properties[i], history, scenario)) {
      beyond->property = finding.property;
      finding = *std::move(beyond);
    } else {
      findings.excused[i] = true;
    }
  }
  return findings;
}

std::vector<ComparedFinding> compare(RealFindings findings, const std::optional<harness::Expectations>& expected) {
  std::vector<ComparedFinding> all = compare(std::move(findings.all), expected);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].excused = findings.excused[i];
  return all;
}

std::vector<Finding> without_excused(RealFindings findings) {
  for (std::size_t i = 0; i < findings.all.size(); ++i) {
    if (findings.excused[i]) withdraw(findings.all[i], "the machine was late, and may be the reason");
  }
  return std::move(findings.all);
}

bool lateness_may_explain(const std::vector<ComparedFinding>& compared) {
  return std::ranges::none_of(compared, decides);
}

bool worth_another_try(const std::vector<ComparedFinding>& compared, bool stated) {
  const bool missed = std::ranges::any_of(compared, [&](const ComparedFinding& c) {
    return c.met == Agreement::no || (stated && c.met == Agreement::unknown && !cannot_be_seen(c.finding));
  });
  return missed && lateness_may_explain(compared);
}

void withdraw(Finding& finding, const std::string& reason) {
  finding.verdict = Verdict::unknown;
  finding.kind.clear();
  finding.what = finding.what.empty() ? reason : finding.what + "; " + reason;
}

void leave_undecided(std::vector<ComparedFinding>& compared, bool stated, const std::string& reason) {
  for (ComparedFinding& c : compared) {
    if (c.met == Agreement::yes || cannot_be_seen(c.finding) || decides(c)) continue;
    if (c.met == Agreement::unknown && !stated) continue;
    if (c.met == Agreement::unstated && !c.excused && c.finding.verdict != Verdict::unknown) continue;
    withdraw(c.finding, reason);
    if (c.met != Agreement::unstated) c.met = Agreement::unknown;
  }
}

}  // namespace lockproof::check
