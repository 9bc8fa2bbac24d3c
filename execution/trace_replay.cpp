// SPDX-License-Identifier: Apache-2.0
#include "execution/trace_replay.hpp"

#include <fmt/format.h>

#include <chrono>

#include "execution/execution.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "real/trace_replay/trace_replay.hpp"

namespace lockproof::execution {
namespace {

using harness::TraceReplayReport;
using Outcome = real::TraceReplay::Outcome;

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::confirmed: return "confirmed";
    case Outcome::diverged: return "diverged";
    case Outcome::not_reproducible: return "not-reproducible";
  }
  return "?";
}

/// The first property of which the checkers say something else when they look at what happened for real.
std::optional<real::Divergence> other_verdict(const harness::Scenario& scenario, const harness::History& predicted,
                                              const harness::History& enacted) {
  const std::vector<check::Finding> before = check::judge(predicted, scenario), after = check::judge(enacted, scenario);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].verdict == after[i].verdict && before[i].kind == after[i].kind) continue;
    return real::Divergence{predicted.events.size() - 1, fmt::format("the verdict of {}", before[i].property),
                            text_of(before[i]), text_of(after[i])};
  }
  return std::nullopt;
}

TraceReplayReport::Difference difference_of(const real::Divergence& found, const harness::History& predicted) {
  return {found.event, predicted.events.at(found.event).at, found.what, found.predicted, found.real};
}

void take(ReplayedTrace& into, real::TraceReplay done, const harness::Scenario& scenario,
          const harness::History& predicted) {
  if (done.outcome == Outcome::confirmed) {
    done.divergence = other_verdict(scenario, predicted, done.history);
    if (done.divergence) done.outcome = Outcome::diverged;
  }
  TraceReplayReport& report = into.report;
  report.outcome = name(done.outcome);
  report.reason = done.reason;
  report.difference.reset();
  if (done.divergence) report.difference = difference_of(*done.divergence, predicted);
  report.servers = done.servers;
  report.compared = {{"commands", done.commands},
                     {"replies", done.replies},
                     {"changes of keys", done.effects},
                     {"times to live", done.leases},
                     {"commands to replicas", done.replicated},
                     {"messages", done.messages},
                     {"faults", done.faults}};
  into.history = std::move(done.history);
}

}  // namespace

ReplayedTrace replay_trace(const harness::Scenario& scenario, std::uint64_t seed, int times,
                           const real::Programs& programs) {
  const auto begin = std::chrono::steady_clock::now();
  Execution predicted = execute(scenario, WorldKind::simulated, seed);
  ReplayedTrace done;
  done.report.run = std::move(predicted.report);
  done.report.run.world = "trace-replay";
  done.report.run.reproduce = fmt::format("lockproof replay {} --seed {}", harness::shell_word(scenario.called), seed);
  for (int time = 1; time <= times && done.report.same; ++time) {
    const TraceReplayReport before = done.report;
    take(done, real::replay_trace(scenario, predicted.history, programs), scenario, predicted.history);
    done.report.times = time;
    const bool first = time == 1;
    done.report.same = first || (before.outcome == done.report.outcome && before.difference == done.report.difference);
  }
  done.report.run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return done;
}

}  // namespace lockproof::execution
