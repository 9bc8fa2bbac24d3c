// SPDX-License-Identifier: Apache-2.0
// What the zone engine cannot search, by its reason.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "search/zones/zone_engine.hpp"

namespace lockproof::zones {
namespace {

using harness::Scenario;
using harness::Work;

/// Not told to do something: that is done to locks that are programs.
bool is_plain(const Work& work) { return work.kind != Work::Kind::touch && work.kind != Work::Kind::extend; }

/// What the clients do that these zones do not know.
std::string why_clients(const Scenario& scenario) {
  constexpr std::size_t clients_most = 8;
  if (scenario.clients.size() > clients_most) return "more than eight clients";
  if (scenario.shares_processes()) return "clients that are tasks of one process";
  for (const harness::ClientSpec& client : scenario.clients) {
    const harness::Plan& plan = client.plan;
    if (plan.asking == harness::AskPolicy::polls_or_sooner) return "clients that ask sooner than written";
    if (plan.rounds == harness::rounds_for_ever) return "rounds without an end";
    if (plan.stop_on == harness::StopOn::loss) return "a client that leaves as its lock is lost";
    if (!std::ranges::all_of(plan.work, is_plain)) return "work that a program is told to do";
    if (plan.period || plan.claims) return "work in periods";
    if (plan.shares()) return "shared clients";
    if (plan.attempt_timeout) return "attempts that their caller ends";
    if (!plan.before.empty()) return "work before the lock is wanted";
    if (!plan.lock.empty() || plan.takes_other_locks()) return "locks of several names";
  }
  return "";
}

/// Of a fault that the scenario places at an event.
std::string why_placed_at_event(const harness::Fault& fault) {
  const harness::EventPlace& when = *fault.when;
  if (when.state != harness::EventPlace::LockState::any) return "a fault that is placed by whose the lock is";
  if (fault.kind == harness::FaultKind::clock_rate) return "a rate of clocks that changes in the middle of a run";
  const bool is_of_end = when.actor == fault.target || when.actor == fault.peer;
  if (fault.kind == harness::FaultKind::break_connection && !is_of_end)
    return "a connection that breaks at an event of another host";
  return "";
}

/// `is_placed`: by the scenario, and not of a budget.
std::string why_fault(const harness::Fault& fault, bool is_placed) {
  using harness::FaultKind;
  constexpr std::array known{
      FaultKind::pause,      FaultKind::suspend,          FaultKind::crash, FaultKind::kill_task, FaultKind::half_open,
      FaultKind::delay,      FaultKind::resend,           FaultKind::retry, FaultKind::partition, FaultKind::clock_jump,
      FaultKind::clock_rate, FaultKind::break_connection, FaultKind::evict, FaultKind::flush,     FaultKind::restart,
      FaultKind::power_cut,  FaultKind::script_flush};
  if (std::ranges::find(known, fault.kind) == known.end())
    return fmt::format("a fault of kind {}", harness::name(fault.kind));
  if (fault.until) return "a fault that ends at an event";
  if (is_placed && fault.when) {
    if (const std::string why = why_placed_at_event(fault); !why.empty()) return why;
  }
  if (fault.kind != FaultKind::clock_rate) return "";
  constexpr std::int64_t stands = -1'000'000'000;
  if (fault.rate_ppb <= stands) return "clocks that stand still";
  const bool from_start = fault.lasts == Duration{} && fault.at.value_or(Duration{}) == Duration{};
  return from_start ? "" : "a rate of clocks that changes in the middle of a run";
}

/// So often each host can be suspended in one run: twice at a time is not followed. Of servers those matter whose
/// leases the monotonic clock counts.
bool overlaps_suspensions(const Scenario& scenario, const harness::Bounds& bounds) {
  for (const std::string& host : scenario.host_names(true, harness::row_of(scenario.algorithm->service).ticks)) {
    const auto strikes = [&](const harness::Fault& fault) {
      return fault.kind == harness::FaultKind::suspend && fault.target == host;
    };
    int budgeted = 0;
    for (const harness::BudgetedFault& entry : bounds.budget) {
      if (std::ranges::any_of(entry.forms, strikes)) budgeted += entry.most;
    }
    const auto placed = std::ranges::count_if(scenario.faults, strikes);
    if (placed + std::min(budgeted, bounds.max_faults) > 1) return true;
  }
  return false;
}

std::string why_faults(const Scenario& scenario, const harness::Bounds& bounds) {
  using harness::FaultKind;
  if (!scenario.steps.empty()) return "a schedule with steps";
  if (overlaps_suspensions(scenario, bounds)) return "several suspensions of one host";
  const auto has = [&](FaultKind kind) {
    const bool is_budgeted =
        std::ranges::find(bounds.budget, kind, &harness::BudgetedFault::kind) != bounds.budget.end();
    return (is_budgeted && bounds.max_faults > 0) ||
           std::ranges::find(scenario.faults, kind, &harness::Fault::kind) != scenario.faults.end();
  };
  if (has(FaultKind::power_cut)) {
    const std::string why = sim::make_symbolic_server(scenario)->why_unknown_after(true, has(FaultKind::restart));
    if (!why.empty()) return why;
  }
  for (const harness::Fault& fault : scenario.faults) {
    if (const std::string why = why_fault(fault, true); !why.empty()) return why;
  }
  if (bounds.max_faults == 0) return "";
  for (const harness::BudgetedFault& entry : bounds.budget) {
    if (entry.spot) return "a part of a budget";
    for (const harness::Fault& form : entry.forms) {
      if (const std::string why = why_fault(form, false); !why.empty()) return why;
    }
  }
  return "";
}

/// Names have room for so much; nothing takes as long.
constexpr Duration longest = std::chrono::hours(24);

bool is_short(const harness::Fault& fault) {
  return fault.lasts < longest && std::chrono::abs(fault.by) < longest && fault.at.value_or(Duration{}) < longest &&
         fault.delay < longest;
}

bool is_short(const Scenario& scenario, const harness::Bounds& bounds) {
  constexpr Duration most = longest;
  bool all = scenario.network.latency.most < most;
  for (const harness::ClientSpec& client : scenario.clients) {
    const harness::Plan& plan = client.plan;
    all &= plan.start < most && plan.start_latest.value_or(Duration{}) < most && plan.think_time < most &&
           plan.retry.value_or(Duration{}) < most &&
           (plan.acquire_timeout < most || plan.acquire_timeout == harness::for_ever) &&
           plan.lease.value_or(scenario.algorithm->lease) < most;
    for (const Work& work : plan.work) all &= work.lasts < most;
  }
  for (const auto& [name, value] : scenario.parameters) all &= value < most;
  for (const auto bound : {&Scenario::takeover, &Scenario::progress, &Scenario::waiting, &Scenario::available}) {
    all &= (scenario.*bound).value_or(Duration{}) < most;
  }
  for (const harness::BudgetedFault& entry : bounds.budget) {
    for (const harness::Fault& form : entry.forms) all &= is_short(form);
  }
  for (const harness::Fault& fault : scenario.faults) all &= is_short(fault);
  return all;
}

}  // namespace

std::string why_unsuited(const Scenario& scenario, const harness::Bounds& bounds) {
  if (scenario.program) return "a lock that is a program";
  if (!sim::make_symbolic_server(scenario)) return "the locks of this service";
  if (scenario.servers.size() != 1 || scenario.ensemble || !scenario.sentinels.empty()) return "more than one server";
  if (scenario.marker != harness::Marker::none) return "a resource that gives out periods";
  if (scenario.permits() > 1) return "a lock with several permits";
  if (scenario.settled || scenario.early) return "the bounds of leadership-settles and hand-over-cause";
  if (const std::string why = why_clients(scenario); !why.empty()) return why;
  if (const std::string why = why_faults(scenario, bounds); !why.empty()) return why;
  return is_short(scenario, bounds) ? "" : "durations of more than a day";
}

}  // namespace lockproof::zones
