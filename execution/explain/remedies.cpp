// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/remedies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::ExplainedRemedy;
using harness::Plan;
using harness::Scenario;
using harness::Work;
using sim::Answer;

constexpr int times = 4;              // a lease becomes so much longer, work so much shorter
constexpr std::size_t most_told = 2;  // of the changes that prevent nothing
constexpr int tries_of_a_release = 3;

/// Of a scenario, the changes that make it another one.
class Candidates {
 public:
  explicit Candidates(const Scenario& scenario) : scenario_(scenario) {}
  void add(std::string what, const auto& change) {
    Candidate one{std::move(what), scenario_};
    change(one.scenario);
    if (!(one.scenario == scenario_)) all_.push_back(std::move(one));
  }
  void add_for_clients(std::string what, const auto& change) {
    add(std::move(what), [&](Scenario& s) {
      for (harness::ClientSpec& client : s.clients) change(client.plan);
    });
  }
  [[nodiscard]] std::vector<Candidate> take() { return std::move(all_); }

 private:
  const Scenario& scenario_;
  std::vector<Candidate> all_;
};

/// What one would think of first.
void add_usual(Candidates& all, const Scenario& scenario, const harness::History& history) {
  if (const auto lease = scenario.clients.front().plan.lease) {
    all.add_for_clients(fmt::format("with a lease of {}", harness::in_seconds(*lease * times)),
                        [&](Plan& plan) { plan.lease = *lease * times; });
  }
  all.add_for_clients("if clients stop at their deadline",
                      [](Plan& plan) { plan.stop_on = harness::StopOn::deadline; });
  const bool has_tokens = std::ranges::any_of(
      history.events, [](const harness::Event& e) { return e.what == harness::What::granted && e.fence; });
  if (has_tokens) {
    all.add("if the resource checks the tokens of grants", [](Scenario& s) { s.fencing = harness::Fencing::all; });
  }
}

void add_workloads(Candidates& all, const Scenario& scenario) {
  all.add_for_clients("with a quarter of the work", [](Plan& plan) {
    for (Work& step : plan.work) {
      if (step.kind == Work::Kind::hold) step.lasts /= times;
    }
  });
  const auto nests = [](const harness::ClientSpec& client) {
    return std::ranges::find(client.plan.work, Work::Kind::acquire, &Work::kind) != client.plan.work.end();
  };
  if (std::ranges::none_of(scenario.clients, nests)) {
    all.add_for_clients("if the lock is released after the work", [](Plan& plan) {
      std::erase_if(plan.work, [](const Work& step) { return step.kind == Work::Kind::release; });
    });
  }
  all.add_for_clients("if clients release what they may hold after an attempt that failed",
                      [](Plan& plan) { plan.on_error = harness::OnError::release; });
  all.add_for_clients("if a release that fails is tried again", [](Plan& plan) {
    if (plan.release_tries == 1) plan.release_tries = tries_of_a_release;
  });
  all.add_for_clients("with one attempt fewer", [](Plan& plan) {
    if (plan.attempts && *plan.attempts > 1) --*plan.attempts;
  });
}

void add_surroundings(Candidates& all, const Scenario& scenario) {
  all.add("if the clocks agreed", [](Scenario& s) {
    for (harness::ClientSpec& client : s.clients) client.clock.wall = {};
    for (harness::ServerSpec& server : s.servers) server.clock.wall = {};
  });
  if (scenario.period) {
    all.add("if the resource remembers which period was done", [](Scenario& s) {
      s.marker = harness::Marker::period;
      for (harness::ClientSpec& client : s.clients) client.plan.claims = true;
    });
  }
  const bool loses = std::ranges::any_of(scenario.faults, [](const harness::Fault& fault) {
    return fault.kind == harness::FaultKind::restart || fault.kind == harness::FaultKind::power_cut;
  });
  if (!loses || !harness::row_of(scenario.algorithm->service).persists) return;
  all.add("if the servers keep each command on disk", [](Scenario& s) {
    for (harness::ServerSpec& server : s.servers) server.persistence = harness::Persistence::aof_always;
  });
}

bool prevents(const sim::Trial& trial) { return trial.answer == Answer::holds && !trial.other_kind; }

bool is_open(const sim::Trial& trial) { return trial.answer == Answer::undecided || trial.answer == Answer::vacuous; }

}  // namespace

std::vector<Candidate> without_a_fault(const Scenario& scenario) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    Candidate one{"without the " + harness::fault_text_without_place(scenario.faults[i]), scenario};
    one.scenario.faults.erase(one.scenario.faults.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Candidate> with_a_change(const Scenario& scenario, const harness::History& history) {
  Candidates all(scenario);
  add_usual(all, scenario, history);
  add_workloads(all, scenario);
  add_surroundings(all, scenario);
  return all.take();
}

ExplainedRemedy searched(const Candidate& candidate, sim::Trials& trials, bool anywhere) {
  try {
    sim::Trial trial = trials.fixed(candidate.scenario);
    std::uint64_t states = trial.states;
    if (anywhere && prevents(trial) && !candidate.scenario.faults.empty()) {
      trial = trials.anywhere(candidate.scenario, candidate.scenario.faults.size());
      states += trial.states;
    }
    return {candidate.what, prevents(trial), is_open(trial), states};
  } catch (const std::runtime_error&) {  // a search that cannot go on decides nothing
    return {candidate.what, false, true, 0};
  }
}

std::optional<std::string> pause_bound(const Scenario& scenario, std::size_t fault, sim::Trials& trials) {
  const std::optional<Duration> slack = harness::slack_of(scenario);
  if (!slack || *slack <= Duration{} || scenario.faults[fault].lasts <= *slack) return std::nullopt;
  Candidate kept{"", scenario};
  kept.scenario.faults[fault].lasts = *slack / scenario.grid * scenario.grid;
  if (!searched(kept, trials, false).mends) return std::nullopt;
  return "pause <= lease - work";
}

std::string prevention_text(const std::vector<ExplainedRemedy>& remedies) {
  std::vector<std::string> mends, in_vain;
  for (const ExplainedRemedy& one : remedies) {
    if (!one.unknown) (one.mends ? mends : in_vain).push_back(one.what);
  }
  if (in_vain.size() > most_told) in_vain.resize(most_told);
  std::string text;
  if (!mends.empty()) {
    text =
        fmt::format("It would not have happened {} (every schedule of each was searched)", fmt::join(mends, ", nor "));
  }
  if (!in_vain.empty()) {
    text += fmt::format("{}{} happen {}", text.empty() ? "" : "; ", text.empty() ? "It can still" : "it can still",
                        fmt::join(in_vain, ", or "));
  }
  return text.empty() ? "What would have prevented it is not known: the searches were too large" : text;
}

}  // namespace lockproof::execution
