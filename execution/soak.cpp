// SPDX-License-Identifier: Apache-2.0
#include "execution/soak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "execution/execution.hpp"
#include "harness/check/lateness.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"
#include "real/errors.hpp"
#include "real/os/shared_files.hpp"
#include "real/os/side_by_side.hpp"
#include "real/run/run.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/fuzz.hpp"
#include "search/fuzz/random.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using Clock = std::chrono::steady_clock;
using check::Verdict;

constexpr unsigned runs_per_job = 2;  // between two looks at the clock

// What the process of a run answers: a word, and behind it a report or a reason.
const std::string made = "made\n", late = "late\n", refused = "refused\n";

bool shows_something(const check::Finding& finding) {
  return finding.verdict == Verdict::violated && finding.property != "exercised";
}

/// In a process of its own. A violation for which the machine's lateness may be the reason counts only if it comes
/// again in a run of which that cannot be said.
std::string made_and_judged(const SoakOrder& order, std::uint64_t number) {
  const harness::Scenario scenario = drawn(order, number);
  try {
    for (std::size_t attempt = 1;; ++attempt) {
      Execution run{real::run(scenario, {.seed = order.seed + number, .programs = order.programs}), {}};
      check::RealFindings found = check::judge_real(run.history, scenario);
      bool broken = false, doubtful = false;
      for (std::size_t i = 0; i < found.all.size(); ++i) {
        if (shows_something(found.all[i])) (found.excused[i] ? doubtful : broken) = true;
      }
      if (doubtful && !broken && attempt < check::attempts_most) continue;
      if (doubtful && !broken) return late;
      run.report.properties = check::compare(check::without_excused(std::move(found)), std::nullopt);
      if (broken && order.keep) order.keep(number, scenario, run.history);
      return made + verdict_json(run.report);
    }
  } catch (const real::UnsupportedFeature& e) {
    return refused + e.what();
  }
}

class Soak {
 public:
  explicit Soak(const SoakOrder& order) : order_(order) {}

  SoakResult run() {
    const real::SharedFiles files;
    const unsigned batch = order_.jobs * runs_per_job;
    for (std::uint64_t from = 0; goes_on(); from += batch) {
      real::side_by_side(
          batch, order_.jobs, [&](std::size_t i) { return made_and_judged(order_, from + i); },
          [&](std::size_t i, const std::string& answer) { take(from + i, answer); }, [this] { return goes_on(); },
          real::UnfinishedPolicy::ended);
    }
    found_.seconds = seconds();
    return std::move(found_);
  }

 private:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  [[nodiscard]] bool goes_on() const {
    if (order_.first && !found_.violated.empty()) return false;
    return order_.go_on(found_.runs, found_.violated.size());
  }

  void take(std::uint64_t number, const std::string& answer) {
    const std::string rest = answer.substr(answer.find('\n') + 1);
    if (answer.starts_with(refused)) {
      if (found_.refused++ == 0) found_.refusal = rest;
      return;
    }
    ++found_.runs;
    harness::Scenario scenario = drawn(order_, number);
    std::vector<std::string> kinds;
    for (const harness::Fault& fault : scenario.faults) kinds.emplace_back(harness::name(fault.kind));
    std::ranges::sort(kinds);
    for (const std::string& kind : kinds) ++found_.faults[kind];
    if (answer.starts_with(late)) {
      ++found_.late;
      return;
    }
    for (const check::ComparedFinding& compared : harness::report_from_json(rest).properties) {
      const check::Finding& finding = compared.finding;
      if (!shows_something(finding)) continue;
      SoakResult::Violation& violation = found_.violated[{{finding.property, finding.kind}, kinds}];
      if (violation.runs++ == 0) violation = {1, number, seconds(), finding, scenario};
    }
  }

  const SoakOrder& order_;
  const Clock::time_point begin_ = Clock::now();
  SoakResult found_;
};

constexpr int rehearsals_most = 20;

/// As many kinds as faults may strike, drawn evenly: those with many forms leave little room for the others.
harness::Bounds some_kinds(const SoakOrder& order, sim::RandomBits& bits, std::uint64_t& occasions) {
  harness::Bounds some = *order.budget;
  some.budget.clear();
  std::vector<std::size_t> left(order.budget->budget.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  occasions = 0;
  for (int i = 0; i < some.max_faults && !left.empty(); ++i) {
    const auto at = left.begin() + static_cast<std::ptrdiff_t>(bits.below(left.size()));
    some.budget.push_back(order.budget->budget[*at]);
    occasions += order.survey.occasions_of[*at];
    left.erase(at);
  }
  occasions = std::max<std::uint64_t>(1, std::min(occasions, order.survey.occasions));
  return some;
}

/// The scenario with faults of this budget, as a simulated run has them.
harness::Scenario drawn_from(const SoakOrder& order, const harness::Bounds& budget, std::uint64_t occasions,
                             std::uint64_t seed) {
  sim::SamplingChooser chooser(*order.scenario, seed, {}, sim::StrikePlan(seed, sim::strikes_of(&budget, occasions)));
  harness::Scenario scenario = *order.scenario;
  scenario.faults = sim::write_down(*order.scenario, chooser, &budget).faults;
  return scenario;
}

bool breaks_something(const harness::Scenario& scenario, std::uint64_t seed) {
  const harness::History history = sim::run(scenario, seed, {.record = true, .record_inputs = false, .token_name = {}});
  return std::ranges::any_of(check::judge(history, scenario), shows_something);
}

}  // namespace

/// Every other run has any faults, since what has many forms has many ways to break something. The others have kinds
/// that are drawn evenly, and such faults as break something in the simulator if there are any among the first that
/// are drawn: it takes a thousandth of the time that real servers take.
harness::Scenario soaked_scenario(const harness::Scenario& scenario, const harness::Bounds& budget, bool alone) {
  harness::Scenario soaked = sim::as_written(sim::bounded(scenario, budget, alone));
  soaked.horizon = scenario.horizon;
  return soaked;
}

void make_survey(SoakOrder& order) {
  sim::ModelFactory models;
  order.survey = sim::survey(*order.scenario, order.budget, models);
}

harness::Scenario drawn(const SoakOrder& order, std::uint64_t number) {
  sim::RandomBits bits(sim::mixed(order.seed, fmt::format("soak {}", number)));
  harness::Scenario scenario;
  if (bits.below(2) == 0) {
    scenario = drawn_from(order, *order.budget, order.survey.occasions, bits.next());
  } else {
    std::uint64_t occasions = 1;
    const harness::Bounds some = some_kinds(order, bits, occasions);
    for (int i = 0; i < rehearsals_most; ++i) {
      scenario = drawn_from(order, some, occasions, bits.next());
      if (breaks_something(scenario, bits.next())) break;
    }
  }
  scenario.name = fmt::format("{}-soak-{}", scenario.name, number);
  scenario.explore.reset();
  scenario.expect = {};
  scenario.text = harness::to_toml(scenario);
  return scenario;
}

SoakResult soak(const SoakOrder& order) { return Soak(order).run(); }

}  // namespace lockproof::execution
