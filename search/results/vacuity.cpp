// SPDX-License-Identifier: Apache-2.0
#include "search/results/vacuity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/check/lost_rounds.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::sim {
namespace {

using harness::BudgetedFault;
using harness::Fault;

/// An entry as it is listed in the budget, without the hosts that are filled in for it.
Fault setting_of(const BudgetedFault& entry, std::size_t form) {
  Fault setting = entry.forms[form];
  const bool one_target =
      std::ranges::all_of(entry.forms, [&](const Fault& other) { return other.target == setting.target; });
  if (!one_target) setting.target.clear();
  setting.peer.clear();
  setting.to_clients.clear();
  setting.old_serves = false;
  setting.delay = {};
  return setting;
}

std::string setting_text(const Fault& setting) {
  std::string text(harness::name(setting.kind));
  if (!setting.target.empty()) text += " of " + setting.target;
  if (setting.kind == harness::FaultKind::half_open)
    text += setting.reply ? ", losing the reply," : ", losing the request,";
  if (setting.kind == harness::FaultKind::delay) text += setting.reply ? " of the reply" : " of the request";
  const auto amount = [&](Duration most) {
    return setting.least ? harness::range_text(*setting.least, most) : harness::to_text(most);
  };
  if (setting.lasts != Duration{}) text += " for " + amount(setting.lasts);
  if (setting.by != Duration{}) text += " by " + amount(setting.by);
  if (setting.rate_ppb != 0) text += " by " + harness::percent_text(setting.rate_ppb) + "%";
  return text;
}

}  // namespace

std::vector<std::string> never_struck(const harness::Bounds& bounds, const FaultSpan& struck) {
  std::vector<std::string> never;
  if (bounds.max_faults == 0) return never;
  for (std::size_t i = 0; i < bounds.budget.size(); ++i) {
    const BudgetedFault& entry = bounds.budget[i];
    std::vector<std::pair<Fault, bool>> settings;
    for (std::size_t form = 0; form < entry.forms.size(); ++form) {
      const Fault setting = setting_of(entry, form);
      auto known = std::ranges::find(settings, setting, &std::pair<Fault, bool>::first);
      if (known == settings.end()) known = settings.insert(known, {setting, false});
      known->second |= struck.contains({i, form});
    }
    if (std::ranges::none_of(settings, &std::pair<Fault, bool>::second)) {
      const bool one_target = !settings.empty() && !settings.front().first.target.empty();
      never.emplace_back(harness::name(entry.kind));
      if (one_target) never.back() += " of " + settings.front().first.target;
      continue;
    }
    for (const auto& [setting, has_struck] : settings) {
      if (!has_struck) never.push_back(setting_text(setting));
    }
  }
  return never;
}

std::vector<std::string> hosts_never_struck(const harness::Bounds& bounds, const FaultSpan& struck,
                                            const std::vector<std::string>& clients, bool alike) {
  std::vector<std::string> never;
  if (bounds.max_faults == 0) return never;
  for (std::size_t i = 0; i < bounds.budget.size(); ++i) {
    std::vector<std::pair<std::string, bool>> hosts;
    for (std::size_t form = 0; form < bounds.budget[i].forms.size(); ++form) {
      const std::string& target = bounds.budget[i].forms[form].target;
      auto known = std::ranges::find(hosts, target, &std::pair<std::string, bool>::first);
      if (known == hosts.end()) known = hosts.insert(known, {target, false});
      known->second |= struck.contains({i, form});
    }
    if (std::ranges::none_of(hosts, &std::pair<std::string, bool>::second)) continue;
    for (const auto& [host, has_struck] : hosts) {
      if (has_struck || (alike && std::ranges::find(clients, host) != clients.end())) continue;
      never.push_back(std::string(harness::name(bounds.budget[i].kind)) + " of " + host);
    }
  }
  return never;
}

std::string why_uncontended(const TestCoverage& tested) {
  if (!tested.acquired) return "no client ever acquires the lock";
  return tested.contended ? "" : "no two clients ever want the lock at once";
}

LockedOutRounds shut_out(const harness::Scenario& scenario, const TestCoverage& tested) {
  const auto& begun = tested.rounds.begun;
  const auto& granted = tested.rounds.granted;
  std::set<int> given;
  for (const auto& [client, number] : granted) given.insert(number);
  LockedOutRounds shut_out;
  std::vector<check::LostRound> lost;
  for (const auto& round : begun) {
    const auto& [client, number] = round;
    const bool endless = scenario.clients[static_cast<std::size_t>(client)].plan.rounds == harness::rounds_for_ever;
    if (endless || granted.contains(round) || (scenario.period && given.contains(number))) continue;
    // Whoever never comes to this round may have the lock all the while.
    const auto comes = [&, n = number](std::size_t other) { return begun.contains({static_cast<int>(other), n}); };
    bool everybody_comes = true;
    for (std::size_t other = 0; other < scenario.clients.size(); ++other) everybody_comes &= comes(other);
    shut_out.everybody |= !given.contains(number) && everybody_comes;
    lost.push_back({.client = client, .number = number});
  }
  if (lost.empty()) return shut_out;
  std::vector<std::string> names;
  for (const harness::ClientSpec& client : scenario.clients) names.push_back(client.name);
  shut_out.what = "in no schedule do these rounds get the lock: " + check::rounds_text(lost, names);
  return shut_out;
}

std::string why_vacuous(const harness::Scenario& scenario, const harness::Bounds& bounds, const TestCoverage& tested) {
  const std::string uncontended = why_uncontended(tested);
  if (!uncontended.empty()) return uncontended;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (tested.struck.contains(static_cast<int>(i) + 1)) continue;
    return fmt::format("in no schedule does the {} strike", harness::fault_text(scenario.faults[i]));
  }
  const std::vector<std::string> never = never_struck(bounds, tested.of_budget);
  if (never.empty()) return "";
  return fmt::format("no schedule has {} of the budget: {}", never.size() == 1 ? "this fault" : "these faults",
                     fmt::join(never, "; "));
}

}  // namespace lockproof::sim
