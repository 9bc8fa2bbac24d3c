// SPDX-License-Identifier: Apache-2.0
#include "harness/check/properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <vector>

#include "harness/check/lacks.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Scenario;

constexpr std::array table{
    Property{"mutual-exclusion", "two clients are inside at once, or more than the lock has room for", mutual_exclusion,
             watch_mutual_exclusion},
    Property{"resource-safety",
             "the resource accepted a write based on an old version, or an access out of grant order",
             resource_safety,
             watch_resource_safety,
             nullptr,
             {},
             false,
             Property::Clocks::none,
             false,
             Property::Holders::readers},
    Property{"owner-release",
             "a release or renewal changed a lock that belongs to another client",
             owner_release,
             watch_owner_release,
             nullptr,
             {},
             true,
             Property::Clocks::none,
             false,
             Property::Holders::one},
    Property{"bounded-takeover", "after a crash the lock stays unavailable longer than the scenario allows",
             bounded_takeover, watch_bounded_takeover, &Scenario::takeover, "[judge] takeover"},
    Property{"deadlock-freedom", "a client wants the lock, no client has it, and none gets it within the bound",
             deadlock_freedom, watch_deadlock_freedom, &Scenario::progress, "[judge] progress", false,
             Property::Clocks::of_servers},
    Property{"fault-tolerance",
             "a client wants the lock, no client has it, and none gets it within the bound, while only a minority of "
             "the servers is down",
             fault_tolerance, watch_fault_tolerance, &Scenario::progress, "[judge] progress", false,
             Property::Clocks::of_servers},
    Property{"starvation-freedom", "a client wants the lock longer than the bound while others get it or have it",
             starvation_freedom, watch_starvation_freedom, &Scenario::waiting, "[judge] waiting"},
    Property{"re-entrancy",
             "the lock is free before the last release of its holder, or still held after it",
             re_entrancy,
             watch_re_entrancy,
             nullptr,
             {},
             true,
             Property::Clocks::none,
             false,
             Property::Holders::readers},
    Property{"loss-notification", "a client that lost the lock while inside is not notified within the bound",
             loss_notification, watch_loss_notification, &Scenario::notice, "[judge] notice", true,
             Property::Clocks::of_all, false, Property::Holders::one},
    Property{"availability",
             "a client wants the lock, no client has it, and none gets it within the bound, whatever servers are down",
             availability, watch_availability, &Scenario::available, "[judge] available"},
    Property{"once-per-period", "the work of one period begins twice", once_per_period, watch_once_per_period,
             &Scenario::period, "[workload] period"},
    Property{"grant-is-valid",
             "a client is given the lock when the grant's deadline has come, or a program when the servers disagree",
             grant_is_valid,
             watch_grant_is_valid,
             nullptr,
             {},
             false,
             Property::Clocks::of_servers,
             true,
             Property::Holders::one},
    Property{"fencing-order",
             "the fencing token of a later grant is not greater",
             fencing_order,
             watch_fencing_order,
             nullptr,
             {},
             false,
             Property::Clocks::none,
             false,
             Property::Holders::one},
    Property{"renewal-rate",
             "a holder renews its lock again and again within one lease",
             renewal_rate,
             nullptr,
             nullptr,
             {},
             true},
    Property{"exercised", "no client acquired, no two contended, a round was lost, or a fault or step never happened",
             exercised},
    // Asked for by their bounds.
    Property{"every-round-enters", "a client that wants the lock is not inside within the bound", every_round_enters,
             watch_every_round_enters, &Scenario::entry, "[judge] entry"},
    Property{"leadership-settles",
             "without a fault for as long as the bound, not one client is inside, or another enters",
             leadership_settles, watch_leadership_settles, &Scenario::settled, "[judge] settled", false,
             Property::Clocks::none, false, Property::Holders::one},
    Property{"hand-over-cause",
             "the lock passes to another client before its holder's deadline, with no release and no fault",
             hand_over_cause, watch_hand_over_cause, &Scenario::early, "[judge] early", false, Property::Clocks::of_all,
             false, Property::Holders::one},
    // Of programs.
    Property{"answers", "a program does not answer within the bound, though no fault keeps it from answering", answers,
             watch_answers, &Scenario::answers, "[judge] answers", false, Property::Clocks::of_servers},
    Property{"survives", "a program ends by itself, or breaks the line protocol", survives, watch_survives},
};
constexpr std::size_t asked_for = 3, of_programs = 2, of_all = table.size() - asked_for - of_programs;

/// Those that concern a scenario: of all, those whose bound it states, and those of programs.
std::vector<Property> concerning(std::size_t asked, bool program) {
  std::vector<Property> all(table.begin(), table.begin() + of_all);
  for (std::size_t i = 0; i < asked_for; ++i) {
    if (asked >> i & 1) all.push_back(table[of_all + i]);
  }
  if (program) all.insert(all.end(), table.end() - of_programs, table.end());
  return all;
}

Finding unjudgeable(std::string_view why) {
  Finding finding;
  finding.verdict = Verdict::unknown;
  finding.what = fmt::format("cannot be judged: {}", why);
  finding.undecidable = true;
  return finding;
}

}  // namespace

Finding not_claimed() {
  Finding finding;
  finding.what = "the program does not claim it ([algorithm] claims)";
  finding.judged = false;
  return finding;
}

bool is_claimed(const Property& property, const Scenario& scenario) {
  return !scenario.program ||
         std::ranges::find(scenario.program->claims, property.name) != scenario.program->claims.end();
}

bool has_key(const Property& property, const Scenario& scenario) {
  const bool of_servers = property.needs_servers || property.check == grant_is_valid;
  return !of_servers || !scenario.program || scenario.program->known_key.is_known();
}

Finding without_key(const Scenario& scenario) {
  Finding finding;
  const bool undecided = scenario.program->known_key.is_undecided();
  finding.verdict = undecided ? Verdict::unknown : Verdict::not_found;
  finding.what = undecided ? "it is not known which key is the lock" : "the lock is no key of a server";
  finding.judged = undecided;
  finding.undecidable = undecided;
  return finding;
}

bool is_never_granted(const Scenario& scenario) {
  return scenario.program && scenario.program->known_key.source == harness::KeySource::no_grant;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::not_found: return "no-violation";
    case Verdict::violated: return "violated";
    case Verdict::unknown: return "unknown";
  }
  return "?";
}

std::span<const Property> properties() { return std::span(table).first(of_all); }
std::span<const Property> properties_asked_for() { return std::span(table).subspan(of_all, asked_for); }
std::span<const Property> properties_of_programs() { return std::span(table).last(of_programs); }

namespace {

bool is_among(const Property& property, std::span<const Property> all) {
  return std::ranges::find(all, property.name, &Property::name) != all.end();
}

}  // namespace

bool is_asked_for(const Property& property) { return is_among(property, properties_asked_for()); }
bool is_of_programs(const Property& property) { return is_among(property, properties_of_programs()); }

std::span<const Property> properties_of(const Scenario& scenario) {
  static const auto all = [] {
    std::array<std::vector<Property>, std::size_t{2} << asked_for> lists;
    for (std::size_t i = 0; i < lists.size(); ++i) lists[i] = concerning(i / 2, i % 2 != 0);
    return lists;
  }();
  std::size_t asked = 0;
  for (std::size_t i = 0; i < asked_for; ++i) {
    asked |= states_bound(table[of_all + i], scenario) ? std::size_t{1} << i : 0;
  }
  return all[asked * 2 + (scenario.program ? 1 : 0)];
}

std::span<const Property> every_property() { return table; }

Finding not_judged(const Property& property) {
  Finding finding;
  finding.property = property.name;
  finding.what = fmt::format("the scenario states no bound ({})", property.bound_key);
  finding.judged = false;
  return finding;
}

Finding without_evidence(std::string_view why) {
  Finding finding;
  finding.what = why;
  finding.judged = false;
  return finding;
}

Finding not_seen(const Property& property) {
  return {.property = std::string(property.name),
          .verdict = Verdict::unknown,
          .kind = {},
          .what = "it is judged by what the servers did to the key, and these were not observed",
          .events = {},
          .judged = false};
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Property& p : table) list.push_back(p.name);
  return list;
}

std::vector<std::string> expectable() {
  return {"holds",       "no-violation", "violated",      "unknown",     "double-grant", "outlived", "orphaned",
          "lost-wakeup", "livelock",     "starvation",    "freed-early", "still-held",   "acquire",  "touch",
          "extend",      "release",      "died",          "protocol",    "expired",      "not-held", "false-alarm",
          "shut-out",    "regained",     "circular-wait", "vacant",      "divided",      "hand-over"};
}

std::vector<std::string> liveness_expectable() {
  return {"holds",         "unknown",         "violated",
          "livelock",      "starvation",      "lost-wakeup",
          "orphaned",      "orphan-watchdog", "unbounded-extension",
          "never-released"};
}

std::vector<Finding> judge(const harness::History& history, const harness::Scenario& scenario,
                           std::span<const Property> asked) {
  std::vector<Finding> findings;
  const std::string lacks = lacks_of(scenario);
  for (const Property& property : asked) {
    Finding finding;
    try {
      const bool seen = history.header.sees_servers || !property.needs_servers;
      finding = !is_claimed(property, scenario)     ? not_claimed()
                : !states_bound(property, scenario) ? not_judged(property)
                : !has_key(property, scenario)      ? without_key(scenario)
                : !fits_holders(property, scenario) ? without_evidence(several_holders)
                : seen                              ? property.check(history, scenario)
                                                    : not_seen(property);
    } catch (const std::exception& e) {
      finding = {.verdict = Verdict::unknown,
                 .kind = {},
                 .what = fmt::format("the checker failed: {}", e.what()),
                 .events = {}};
    }
    if (is_never_granted(scenario) && is_claimed(property, scenario) && property.check != survives)
      finding = unjudgeable("nobody got the lock in a run without any fault");
    if (!lacks.empty() && is_claimed(property, scenario)) finding = unjudgeable(lacks);
    finding.property = property.name;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge(const harness::History& history, const harness::Scenario& scenario) {
  return judge(history, scenario, properties_of(scenario));
}

std::vector<Finding> all_unknown(const std::string& reason) {
  std::vector<Finding> findings;
  for (const Property& property : properties()) {
    findings.push_back({std::string(property.name), Verdict::unknown, "", reason, {}});
  }
  return findings;
}

std::string seconds_text(Duration d) {
  const auto us = d.count();
  return fmt::format("{}{}.{:03} s", us < 0 ? "-" : "", std::abs(us) / 1'000'000, std::abs(us) / 1000 % 1000);
}

std::string place(const harness::Header& header, const harness::Event& event) {
  return fmt::format("{} at {}", header.host_name(event.host), seconds_text(event.at));
}

}  // namespace lockproof::check
