// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/scope_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/names.hpp"
#include "search/core/contention.hpp"

namespace lockproof::execution {

namespace {

/// " x 1 round x 3 attempts"
std::string plan_text(const harness::Plan& plan) {
  std::string text = plan.rounds == harness::rounds_for_ever
                         ? " x unlimited rounds"
                         : " x " + plural(static_cast<std::uint64_t>(plan.rounds), "round");
  const bool freely = plan.asking == harness::AskPolicy::freely;
  const std::optional<int> attempts = plan.attempts_most();
  const char* const counted = freely && !plan.counts_refusals ? "failed attempt" : "attempt";
  if (attempts) text += " x " + plural(static_cast<std::uint64_t>(*attempts), counted);
  if (!attempts && plan.acquire_timeout == harness::for_ever) text += " x unlimited attempts";
  return text;
}

/// Clients that are planned alike are counted; one that is alone is named.
std::string clients_text(const std::vector<harness::ClientSpec>& clients) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // plan, names
  for (const harness::ClientSpec& client : clients) {
    const std::string plan = plan_text(client.plan);
    const auto known = std::ranges::find(groups, plan, [](const auto& group) { return group.first; });
    (known != groups.end() ? *known : groups.emplace_back(plan, std::vector<std::string>()))
        .second.push_back(client.name);
  }
  std::vector<std::string> parts;
  for (const auto& [plan, names] : groups) {
    const bool alone = names.size() == 1 && groups.size() > 1;
    parts.push_back((alone ? names.front() : plural(names.size(), "client")) + plan);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string scope_text(const harness::Scenario& searched, const harness::Bounds& budget) {
  std::string text = clients_text(searched.clients);
  text += " on " + plural(searched.servers.size(), "server");
  if (!searched.faults.empty()) text += ", with the scenario's " + plural(searched.faults.size(), "fault");
  if (!budget.budget.empty()) {
    std::vector<std::string> kinds;
    for (const auto& entry : budget.budget) kinds.emplace_back(harness::name(entry.kind));
    text += fmt::format(", at most {} of: {}", plural(static_cast<std::uint64_t>(budget.max_faults), "fault"),
                        fmt::join(kinds, ", "));
  }
  return text;
}

namespace {

/// How bounds in time were judged apart; empty: they were not.
std::string bounds_text(const sim::Exploration& found) {
  if (found.timed_states == 0) return "";
  const bool every_phase = found.timed && found.timed->every_phase;
  return fmt::format("bounds in time are judged apart, for {} ({})",
                     every_phase ? "every phase of polling, and faults that strike at any instant"
                                 : "the phase of polling that is written",
                     plural(found.timed_states, "state"));
}

}  // namespace

std::vector<std::string> asking_phrases(const harness::Scenario& searched, const sim::Exploration& found) {
  std::vector<std::string> all;
  if (searched.contention == harness::Contention::as_written) {
    all.emplace_back("clients ask as the scenario says, in the phase of polling that is written");
    if (sim::has_open_start(searched)) all.emplace_back("where it states a window, first at any instant of it");
    if (sim::states_bound_in_time(searched)) all.emplace_back("bounds in time hold for that phase only");
    return all;
  }
  if (found.only_written) {
    return {"clients ask as the scenario says, which is searched first",
            "that they ask at other instants was not searched"};
  }
  const std::string bounds = bounds_text(found);
  if (found.every_timing) {
    all.emplace_back("clients ask, or not, at any instant from their start");
    if (!bounds.empty()) all.push_back(bounds);
    return all;
  }
  if (searched.contention == harness::Contention::anytime) {
    all.push_back(fmt::format("clients ask, or not, at every {} from their start", harness::to_text(searched.grid)));
  } else {
    all.emplace_back("clients ask, or not, at every asking instant of docs/semantics/asking.md from their start");
    all.emplace_back("refusals that leave nothing behind are not counted");
  }
  all.emplace_back("where no event is due, they ask at once or not at all");
  if (!bounds.empty()) all.push_back(bounds);
  return all;
}

}  // namespace lockproof::execution
