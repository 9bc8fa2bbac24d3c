// SPDX-License-Identifier: Apache-2.0
#include "execution/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "execution/execution.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
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

struct Made {
  RunReport report;
  std::string history = {};  // as JSON lines, where it is to be kept
};

/// A history that cannot be made again is kept: a real one. The folder's name is the scenario's, and its file's digest.
std::string folder_for(const harness::Scenario& scenario) {
  constexpr std::size_t enough = 8;
  return fmt::format("runs/{}-{}", scenario.name, harness::digest(scenario.file).substr(0, enough));
}

/// Where the machine cannot run one of many scenarios, the others are run all the same.
Made made_of(harness::Scenario scenario, WorldKind world, const CheckOrder& order) {
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
  } catch (const harness::NotAFunction& e) {
    return {not_run(scenario, world, seed, e.what()).report};
  }
}

/// Every schedule within the bounds of its [explore].
Made explored_of(const harness::Scenario& scenario, const CheckOrder& order) {
  try {
    return {order.explore(scenario)};
  } catch (const harness::NotAFunction& e) {
    Made made{not_run(scenario, WorldKind::simulated, scenario.seed, e.what()).report};
    made.report.world = "explored";
    return made;
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

/// All scenarios in one way, reported in their order, from that of number `done` on. Throws real::WorkerDeath, whose
/// number is counted from there. `dead`: what is known of those whose processes ended so.
void run_from(const std::vector<harness::Scenario>& scenarios, unsigned jobs,
              const std::function<Made(const harness::Scenario&)>& run, const CheckOrder& order, std::size_t& done,
              const std::map<std::size_t, std::string>& dead) {
  const std::size_t first = done;
  constexpr std::string_view wrong = "wrong\n";
  constexpr char behind_verdicts = '\f';  // which JSON does not contain
  real::side_by_side(
      scenarios.size() - first, jobs,
      [&](std::size_t i) {
        if (const auto death = dead.find(first + i); death != dead.end()) return std::string(wrong) + death->second;
        try {
          const Made made = run(scenarios[first + i]);
          return fmt::format("{:.6f}\n{}{}{}", made.report.seconds, verdict_json(made.report), behind_verdicts,
                             made.history);
        } catch (const harness::InputError& e) {
          return fmt::format("{}{}", wrong, e.what());
        }
      },
      [&](std::size_t i, const std::string& text) {
        const harness::Scenario& scenario = scenarios[first + i];
        ++done;
        order.before_report();
        if (text.starts_with(wrong)) return order.wrong({scenario.called, text.substr(wrong.size())});
        const std::size_t begin = text.find('\n'), end = text.find(behind_verdicts);
        RunReport made = harness::report_from_json(text.substr(begin, end - begin));
        made.seconds = std::stod(text);
        made.title = scenario.title;
        order.report(std::move(made), text.substr(end + 1));
      },
      [&] {
        order.progress(done, scenarios.size());
        return true;
      });
}

/// One whose process dies is an error, and keeps no other from being run.
void run_all(const std::vector<harness::Scenario>& scenarios, unsigned jobs,
             const std::function<Made(const harness::Scenario&)>& run, const CheckOrder& order) {
  std::map<std::size_t, std::string> dead;
  for (std::size_t done = 0;;) {
    const std::size_t first = done;
    try {
      return run_from(scenarios, jobs, run, order, done, dead);
    } catch (const real::WorkerDeath& death) {
      const std::size_t number = first + death.number();
      dead.emplace(number, fmt::format("{}: its run ended lockproof itself, which is an error of lockproof",
                                       scenarios[number].called));
    }
  }
}

}  // namespace

void check_all(const std::vector<harness::Scenario>& all, const CheckOrder& order) {
  const auto those = [&](bool (*fit)(const harness::Scenario&)) {
    std::vector<harness::Scenario> some;
    std::ranges::copy_if(all, std::back_inserter(some), fit);
    return some;
  };
  const auto run_in = [&](WorldKind world, const std::vector<harness::Scenario>& some) {
    const auto run = [&](const harness::Scenario& scenario) { return made_of(scenario, world, order); };
    run_all(some, jobs_of(order, world), run, order);
  };
  run_in(WorldKind::simulated, those(needs_no_servers));
  const auto on_servers = those(order.real ? has_servers : is_on_servers_anyway);
  std::optional<real::SharedFiles> files;
  if (!on_servers.empty()) files.emplace();
  run_in(WorldKind::real, on_servers);
  if (!order.explores) return;
  const std::vector<harness::Scenario> searched = those(is_searched);
  const auto search = [&](const harness::Scenario& scenario) { return explored_of(scenario, order); };
  run_all(searched, jobs_of(order, WorldKind::simulated), search, order);
}

}  // namespace lockproof::execution
