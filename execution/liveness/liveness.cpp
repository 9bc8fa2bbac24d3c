// SPDX-License-Identifier: Apache-2.0
#include "execution/liveness/liveness.hpp"

#include <fmt/format.h>

#include "harness/scenario/file/write.hpp"

namespace lockproof::execution {
namespace {

constexpr std::uint64_t no_limit = UINT64_MAX;  // the caller counts all of the process

void sign(harness::Scenario& found, const std::string& title, const LivenessReport& report) {
  found.title = title;
  found.source = report.reproduce;
  found.text = harness::to_toml(found);
}

/// False: the search was interrupted.
bool search(const LivenessOrder& order, LivenessReport& report) {
  const LivenessPhase phase = order.begin_search();
  sim::Limits limits;
  limits.bytes = no_limit;
  limits.reduce = false;
  limits.stop = phase.stop;
  limits.go_on = phase.go_on;
  report.found = sim::search_endless(report.scenario, report.budget, limits, order.scenario.horizon);
  report.seconds = phase.seconds();
  if (report.found.complete) return true;
  const harness::StopReason why = phase.why_stopped();
  report.found.stopped =
      harness::stop_text(why == harness::StopReason::none ? harness::StopReason::memory : why, order.given);
  return why != harness::StopReason::interrupted;
}

/// Where a limit has stopped the search.
void heal_then_finish(const LivenessOrder& order, LivenessReport& report) {
  if (order.runs == 0) return;
  const LivenessPhase phase = order.begin_runs(report.seconds);
  sim::FinishOrder finish{.runs = order.runs, .workers = order.workers};
  finish.stop = phase.stop;
  finish.go_on = [&](std::uint64_t done) {
    return phase.go_on_runs(fmt::format("heal, then finish: {} of {} schedules", done, order.runs));
  };
  report.finish = sim::heal_then_finish(report.scenario, report.budget, order.scenario.horizon, finish);
  report.finish_seconds = phase.seconds();
  for (sim::Finish::StandstillRuns& stuck : report.finish->stuck) {
    sign(stuck.scenario, fmt::format("{}: a client never gets the lock. {}", stuck.kind, stuck.scenario.title), report);
  }
}

}  // namespace

LivenessReport liveness(const LivenessOrder& order) {
  LivenessReport report;
  report.file = order.file;
  report.reproduce = order.reproduce;
  report.budget = order.bounds;
  report.scenario = sim::endless(order.scenario, order.bounds, order.alone);
  const bool goes_on = search(order, report);
  if (!report.found.complete && goes_on) heal_then_finish(order, report);
  const std::string& title = order.scenario.title;
  for (sim::Loop& loop : report.found.loops) {
    sign(loop.scenario,
         fmt::format("{}: {} never gets the lock{}", loop.kind, loop.client, title.empty() ? "" : ". " + title),
         report);
  }
  const bool all_hold = order.alone || order.scenario.expect.empty();
  report.liveness =
      judged(report, all_hold ? std::string(name(check::Verdict::holds)) : order.scenario.expect.liveness);
  return report;
}

}  // namespace lockproof::execution
