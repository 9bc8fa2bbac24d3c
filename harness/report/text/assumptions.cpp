// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/assumptions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "algorithms/expiry.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

// What is true of every simulated run, whatever the scenario says.
constexpr std::array of_every_run{
    "servers begin empty",
    "clocks and ticks start in phase",
    "a crash is final",
};

// A program opens its own.
constexpr const char* connections =
    "a process has one connection to each server, open from its start or, of a client that asks freely, from its first "
    "command";

constexpr const char* connections_of_tasks =
    "tasks of one process have one lock object, and each one connection to each server, open from its start; one goes "
    "on only where another waits, and after a pause in the order of the file";

Duration lease_of(const Scenario& s, const Plan& plan) { return plan.lease.value_or(s.algorithm->lease); }

/// A watchdog whose period is a parameter renews only what was acquired without a lease of one's own.
Expiry expiry_of(const Scenario& s) {
  if (s.program) return s.program->renews ? Expiry::renewed : Expiry::unknown;
  const Expiry expiry = expiry_of(*s.algorithm);
  const bool given = std::ranges::any_of(s.clients, [](const ClientSpec& c) { return c.plan.lease.has_value(); });
  const bool watched = s.parameters.contains("watchdog_timeout");
  return expiry == Expiry::renewed && watched && given ? Expiry::lease : expiry;
}

Duration work_of(const Plan& plan) {
  Duration sum{};
  for (const Work& step : plan.work) sum += step.lasts;
  return sum;
}

std::string seconds_text(Duration d) { return d < Duration{} ? "-" + in_seconds(-d) : in_seconds(d); }

std::string window_text(Duration least, Duration most) {
  if (most >= for_ever) return least == most ? "for ever" : to_text(least) + " or for ever";
  return least == most ? to_text(least) : fmt::format("{} to {}", to_text(least), to_text(most));
}

std::string latency_text(const Scenario& s) {
  const Window& latency = s.network.latency;
  if (latency.is_range) return fmt::format("latency any from {} to {}", to_text(latency.least), to_text(latency.most));
  std::string text = "latency " + window_text(latency.least, latency.most);
  return latency.least == latency.most ? text : text + ", grid " + to_text(s.grid);
}

std::string lease_text(const Scenario& s) {
  const auto leases = [&](const ClientSpec& c) { return lease_of(s, c.plan); };
  const auto [least, most] = std::ranges::minmax(s.clients, {}, leases);
  const std::string lease = "lease " + window_text(leases(least), leases(most));
  switch (expiry_of(s)) {
    case Expiry::none: return "no lease";
    case Expiry::renewed: return lease + ", renewed while its holder works";
    case Expiry::unknown: return lease + ", if the lock keeps to it";
    case Expiry::lease: return lease;
  }
  return lease;
}

std::string work_text(const Scenario& s) {
  const auto works = [](const ClientSpec& c) { return work_of(c.plan); };
  const auto [least, most] = std::ranges::minmax(s.clients, {}, works);
  return "work " + window_text(works(least), works(most));
}

/// Nothing if no client ever gives up.
std::string giving_up_text(const Plan& plan) {
  if (const auto attempts = plan.attempts_most()) {
    const char* const counted = plan.counts_refusals ? "attempt" : "failed attempt";
    return fmt::format("clients give up after {} {}{}", *attempts, counted, *attempts == 1 ? "" : "s");
  }
  return plan.acquire_timeout == for_ever ? "" : "clients give up after " + to_text(plan.acquire_timeout);
}

/// "5 s", "-2%"; empty: the fault has no amount.
std::string amount_text(const Fault& fault) {
  if (fault.rate_ppb != 0) return percent_text(fault.rate_ppb) + "%";
  const Duration amount = fault.by != Duration{} ? fault.by : fault.lasts;
  if (fault.least) return fmt::format("any from {} to {}", seconds_text(*fault.least), seconds_text(amount));
  return amount == Duration{} || amount >= for_ever ? "" : seconds_text(amount);
}

/// "pause 5 s, 10 s": other amounts were not tried.
std::string amounts_text(const BudgetedFault& budgeted) {
  std::vector<std::string> amounts;
  for (const Fault& form : budgeted.forms) {
    std::string amount = amount_text(form);
    if (!amount.empty() && std::ranges::find(amounts, amount) == amounts.end()) amounts.push_back(std::move(amount));
  }
  return amounts.empty() ? "" : fmt::format("{} {}", name(budgeted.kind), fmt::join(amounts, ", "));
}

std::string faults_phrase(const Bounds& bounds, bool at_any_instant) {
  std::vector<std::string> amounts;
  for (const BudgetedFault& budgeted : bounds.budget) {
    if (std::string text = amounts_text(budgeted); !text.empty()) amounts.push_back(std::move(text));
  }
  const std::string strike = at_any_instant ? "faults strike at any instant" : "faults strike at events";
  if (amounts.empty()) return strike;
  return fmt::format("{}{}: {}", strike, at_any_instant ? "" : ", with these amounts only", fmt::join(amounts, "; "));
}

std::string drift_text(bool of_every_timing, const std::vector<Duration>& late_starts) {
  if (of_every_timing) return "clocks of different rates: any offset at the start";
  std::string text =
      "clocks of different rates agree at 0 s: later starts of clients, after a drift, were not searched";
  for (const Duration start : late_starts)
    text += fmt::format("{} {}", start == late_starts.front() ? " but for" : ",", in_seconds(start));
  return text;
}

}  // namespace

std::optional<Duration> slack_of(const Scenario& s) {
  const Expiry expiry = expiry_of(s);
  const bool may_renew = expiry == Expiry::unknown && !s.program;
  if (expiry == Expiry::none || expiry == Expiry::renewed || may_renew) return std::nullopt;
  const auto is_endless = [](const ClientSpec& client) { return work_of(client.plan) >= for_ever; };
  if (std::ranges::any_of(s.clients, is_endless)) return std::nullopt;
  return lease_beside_work(s, s.network.latency);
}

std::vector<std::string> measures_of(const Scenario& s) {
  std::vector<std::string> all{latency_text(s), "command time-out " + to_text(s.network.timeout), lease_text(s),
                               work_text(s)};
  for (const ClientSpec& client : s.clients) {
    if (!client.plan.attempt_timeout) continue;
    all.push_back(fmt::format("{} ends its attempts after {}", client.name, to_text(*client.plan.attempt_timeout)));
  }
  if (const auto slack = slack_of(s)) {
    const bool ticks = row_of(s.algorithm->service).ticks;
    all.push_back(fmt::format("slack {} (lease{} - work - messages)", seconds_text(*slack), ticks ? " - a tick" : ""));
  }
  return all;
}

bool drift_apart(const Scenario& s, const Bounds& bounds) {
  const auto sets_rate = [](const auto& fault) { return row_of(fault.kind).action == FaultRow::Action::set_rate; };
  return std::ranges::any_of(s.faults, sets_rate) || std::ranges::any_of(bounds.budget, sets_rate);
}

std::vector<std::string> assumptions_of(const Scenario& s, const Bounds& bounds, bool of_every_timing,
                                        const std::vector<Duration>& late_starts) {
  std::vector<std::string> all;
  if (!s.program) all.emplace_back(s.shares_processes() ? connections_of_tasks : connections);
  all.insert(all.end(), of_every_run.begin(), of_every_run.end());
  if (!bounds.budget.empty()) all.push_back(faults_phrase(bounds, of_every_timing));
  if (drift_apart(s, bounds)) {
    all.push_back(drift_text(of_every_timing, late_starts));
  }
  const auto stops = [](const ClientSpec& client) { return client.plan.stop_on != StopOn::nothing; };
  if (std::ranges::none_of(s.clients, stops)) all.emplace_back("clients do not look at a deadline while they work");
  if (std::string gives_up = giving_up_text(s.clients.front().plan); !gives_up.empty()) {
    all.push_back(std::move(gives_up));
  }
  return all;
}

std::string in_lines(const std::vector<std::string>& phrases, const Style& style) {
  constexpr std::size_t indent = 2;
  return style.wrap(fmt::format("{:{}}{}", "", indent, fmt::join(phrases, "; ")), indent) + "\n";
}

}  // namespace lockproof::harness
