// SPDX-License-Identifier: Apache-2.0
#include "execution/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "execution/execution.hpp"
#include "harness/cannot_judge.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
#include "harness/program/program_key.hpp"
#include "harness/program/virtual_program.hpp"
#include "harness/report/text/digest.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/os/shared_files.hpp"
#include "real/os/side_by_side.hpp"

namespace lockproof::execution {
namespace {

using harness::RunReport;
using harness::to_jsonl;

constexpr unsigned real_jobs_per_core = 3;

struct CheckedRun {
  RunReport report;
  std::string history = {};  // as JSON lines, where it is to be kept
};

/// A history that cannot be made again is kept: a real one. The folder's name is the scenario's, and its file's digest.
std::string folder_for(const harness::Scenario& scenario) {
  constexpr std::size_t enough = 8;
  return fmt::format("runs/{}-{}", scenario.name, harness::digest(scenario.file).substr(0, enough));
}

/// Where the machine cannot run one of many scenarios, the others are run all the same.
CheckedRun made_of(harness::Scenario scenario, WorldKind world, const CheckOrder& order) {
  const std::uint64_t seed = order.seed.value_or(scenario.seed);
  try {
    if (scenario.program && world == WorldKind::simulated) order.put_in_virtual_time(scenario);
    execution::Execution done = execute(scenario, world, seed, {.programs = order.programs});
    if (scenario.expect.empty()) execution::leave_unstated(done.report);
    if (world != WorldKind::real || !order.keeps_histories || done.history.events.empty()) return {done.report};
    done.report.history = folder_for(scenario);
    return {done.report, to_jsonl(done.history)};
  } catch (const real::BadEnvironment& e) {
    return {not_run(scenario, world, seed, e.what()).report};
  } catch (const harness::CannotJudge& e) {
    return {not_run(scenario, world, seed, e.what()).report};
  } catch (const harness::NotAFunction& e) {
    return {not_run(scenario, world, seed, e.what()).report};
  }
}

RunReport not_searched(const harness::Scenario& scenario, const std::string& why) {
  RunReport report = not_run(scenario, WorldKind::simulated, scenario.seed, why).report;
  report.world = "explored";
  return report;
}

/// Every schedule within the bounds of its [explore].
CheckedRun explored_of(const harness::Scenario& scenario, const CheckOrder& order, const SearchShare& share) {
  try {
    return {order.explore(scenario, share)};
  } catch (const harness::CannotJudge& e) {
    return {not_searched(scenario, e.what())};
  } catch (const harness::NoGrantError& e) {
    return {not_searched(scenario, e.what())};
  } catch (const harness::NotAFunction& e) {
    return {not_searched(scenario, e.what())};
  }
}

/// Whether it says what comes of a search, or has bounds for one and says nothing at all.
bool is_searched(const harness::Scenario& scenario) {
  return scenario.expect.explore || (scenario.expect.empty() && scenario.explore && !scenario.program);
}

/// Whether there are servers to run it on.
bool has_servers(const harness::Scenario& scenario) { return harness::simulated_only(scenario).empty(); }

/// A program runs in virtual time where the scenario says what comes of that …
bool needs_no_servers(const harness::Scenario& scenario) { return !scenario.program || scenario.expect.run; }

/// … and on servers where it says that of them, or nothing of either.
bool is_on_servers_anyway(const harness::Scenario& scenario) {
  return scenario.program && has_servers(scenario) && (scenario.expect.real || !scenario.expect.run);
}

/// How many at once. Real runs sleep most of the time, but one that finds no processor when it wakes up is late.
unsigned jobs_of(const CheckOrder& order, WorldKind world) {
  if (order.workers) return order.workers;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return world == WorldKind::real ? cores * real_jobs_per_core : cores;
}

class Clock {
 public:
  explicit Clock(std::optional<Duration> time) : time_(time) {}
  /// Nothing: there is no end.
  [[nodiscard]] std::optional<Duration> left() const {
    if (!time_) return std::nullopt;
    const auto passed = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin_);
    return std::max(Duration{}, *time_ - passed);
  }
  [[nodiscard]] bool is_over() const { return left() == Duration{}; }

 private:
  const std::optional<Duration> time_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Many scenarios in one batch.
struct Batch {
  std::vector<harness::Scenario> scenarios;
  unsigned jobs;
  std::function<CheckedRun(std::size_t number)> run;
  std::function<RunReport(const harness::Scenario&)> leave_out;  // for want of time
  real::UnfinishedPolicy unfinished;                             // what becomes of those that run when the time is over
};

/// In their order, from that of number `done` on. Throws real::WorkerDeath, whose number is counted from there. `dead`:
/// what is known of those whose processes ended so.
void run_from(const Batch& batch, const Clock& clock, const CheckOrder& order, std::vector<bool>& done,
              const std::map<std::size_t, std::string>& dead) {
  const auto first = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
  constexpr std::string_view wrong = "wrong\n";
  constexpr char behind_verdicts = '\f';  // which JSON does not contain
  real::side_by_side(
      batch.scenarios.size() - first, batch.jobs,
      [&](std::size_t i) {
        if (const auto death = dead.find(first + i); death != dead.end()) return std::string(wrong) + death->second;
        try {
          const CheckedRun made = batch.run(first + i);
          return fmt::format("{:.6f}\n{}{}{}", made.report.seconds, verdict_json(made.report), behind_verdicts,
                             made.history);
        } catch (const harness::InputError& e) {
          return fmt::format("{}{}", wrong, e.what());
        }
      },
      [&](std::size_t i, const std::string& text) {
        const harness::Scenario& scenario = batch.scenarios[first + i];
        done[first + i] = true;
        order.before_report();
        if (text.starts_with(wrong)) return order.wrong({scenario.called, text.substr(wrong.size())});
        const std::size_t begin = text.find('\n'), end = text.find(behind_verdicts);
        RunReport made = harness::report_from_json(text.substr(begin, end - begin));
        made.seconds = std::stod(text);
        made.title = scenario.title;
        order.report(std::move(made), text.substr(end + 1));
      },
      [&] {
        order.progress(static_cast<std::size_t>(std::ranges::count(done, true)), done.size());
        return !clock.is_over();
      },
      batch.unfinished);
}

/// One whose process dies is an error, and keeps no other from being run.
void run_all(const Batch& batch, const Clock& clock, const CheckOrder& order) {
  std::map<std::size_t, std::string> dead;
  std::vector<bool> done(batch.scenarios.size());
  while (!clock.is_over() && std::ranges::find(done, false) != done.end()) {
    const auto first = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
    try {
      run_from(batch, clock, order, done, dead);
    } catch (const real::WorkerDeath& death) {
      const std::size_t number = first + death.number();
      dead.emplace(number, fmt::format("{}: its run ended lockproof itself, which is an error of lockproof",
                                       batch.scenarios[number].called));
    }
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i]) continue;
    order.before_report();
    order.report(batch.leave_out(batch.scenarios[i]), "");
  }
}

/// As many searches at once as have enough memory each.
unsigned searches_at_once(const CheckOrder& order) {
  constexpr std::uint64_t enough = 32 << 20;
  const std::uint64_t have_enough = std::clamp<std::uint64_t>(order.memory / enough, 1, UINT32_MAX);
  return std::min(jobs_of(order, WorldKind::simulated), static_cast<unsigned>(have_enough));
}

SearchShare share_of(std::size_t number, const Batch& batch, const Clock& clock, const CheckOrder& order) {
  const std::optional<Duration> left = clock.left();
  const std::size_t turns = (batch.scenarios.size() - number + batch.jobs - 1) / batch.jobs;
  if (!left) return {std::nullopt, order.memory / batch.jobs};
  return {std::chrono::floor<milliseconds>(*left / static_cast<std::int64_t>(turns)), order.memory / batch.jobs};
}

}  // namespace

void check_all(const std::vector<harness::Scenario>& all, const CheckOrder& order) {
  const Clock clock(order.time);
  const auto those = [&](bool (*fit)(const harness::Scenario&)) {
    std::vector<harness::Scenario> some;
    std::ranges::copy_if(all, std::back_inserter(some), fit);
    return some;
  };
  const auto run_in = [&](WorldKind world, bool (*fit)(const harness::Scenario&)) {
    Batch batch{.scenarios = those(fit),
                .jobs = jobs_of(order, world),
                .run = {},
                .leave_out = {},
                .unfinished = real::UnfinishedPolicy::ended};
    batch.run = [&](std::size_t i) { return made_of(batch.scenarios[i], world, order); };
    batch.leave_out = [&](const harness::Scenario& one) {
      return not_run(one, world, order.seed.value_or(one.seed), order.why_over).report;
    };
    std::optional<real::SharedFiles> files;
    if (world == WorldKind::real && !batch.scenarios.empty()) files.emplace();
    run_all(batch, clock, order);
  };
  run_in(WorldKind::simulated, needs_no_servers);
  run_in(WorldKind::real, order.real ? has_servers : is_on_servers_anyway);
  if (!order.explores) return;
  Batch batch{.scenarios = those(is_searched),
              .jobs = searches_at_once(order),
              .run = {},
              .leave_out = {},
              .unfinished = real::UnfinishedPolicy::awaited};  // each knows its end
  batch.run = [&](std::size_t i) { return explored_of(batch.scenarios[i], order, share_of(i, batch, clock, order)); };
  batch.leave_out = [&](const harness::Scenario& one) { return not_searched(one, order.why_over); };
  run_all(batch, clock, order);
}

}  // namespace lockproof::execution
