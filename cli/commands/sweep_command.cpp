// SPDX-License-Identifier: Apache-2.0
// sweep: every kind of fault at every event of a program's runs, on real servers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/commands/sweep_output.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/options/server_options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "execution/sweep.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::cli {
namespace {

constexpr unsigned sweeps_per_core = 2;  // a run sleeps most of its time, but must be on time when it wakes up
constexpr int repeat_if_not_said = 3;

void refuse_what_does_not_fit(const harness::Scenario& scenario) {
  if (!scenario.program) {
    throw harness::InputError(scenario.file, 0,
                              "sweep is for a program of your own ([algorithm] command); explore searches every fault "
                              "at every event of a lock of the catalogue, or in Lua");
  }
  if (scenario.faults.empty()) return;
  throw harness::InputError(scenario.file, scenario.faults.front().line,
                            "sweep places the faults itself; leave [[fault]] out");
}

void refuse_other_kinds(const harness::Scenario& scenario, const std::vector<std::string>& asked) {
  const std::vector<std::string> kinds = execution::sweep_kinds(scenario);
  for (const std::string& kind : asked) {
    if (std::ranges::find(kinds, kind) != kinds.end()) continue;
    throw harness::InputError(scenario.file, 0,
                              fmt::format("--faults names {}, which servers of {} cannot have; it can be {}", kind,
                                          harness::row_of(scenario.algorithm->service).name, fmt::join(kinds, ", ")));
  }
}

bool strikes_twice(const Arguments& arguments) { return arguments.max_faults.value_or(1) > 1; }

}  // namespace

int sweep_command(const Arguments& arguments) {
  const harness::Scenario scenario = scenario_of(arguments);
  refuse_what_does_not_fit(scenario);
  execution::SweepOrder order{.scenario = &scenario};
  refuse_other_kinds(scenario, arguments.faults);
  order.kinds = arguments.faults;
  order.repeat = arguments.repeat.value_or(repeat_if_not_said);
  order.pairs = strikes_twice(arguments);
  order.traced = arguments.traces;
  const unsigned for_each_core = order.traced ? 1 : sweeps_per_core;
  order.jobs =
      arguments.workers ? arguments.workers : for_each_core * std::max(1U, std::thread::hardware_concurrency());
  order.programs = arguments.programs;
  order.out = arguments.out;
  if (!arguments.out.empty())
    order.write = [](const std::string& file, const std::string& text) { save_file(file, text); };
  complain(fmt::format("this runs {} as this user, {} times in each run", fmt::join(scenario.program->command, " "),
                       scenario.clients.size()));
  ProgressLine line("runs without faults", time_from(arguments.time));
  order.progress = [&](std::size_t made, std::size_t all) { line.show(made, all, "strikes made"); };
  order.found = [&](const harness::SweptReport::Strike& strike, const harness::SweptViolation& way) {
    const std::string kind = way.kind.empty() ? "" : " (" + way.kind + ")";
    const std::string fault = strike.fault.empty() ? "without a fault" : strike.fault + " at " + strike.event;
    line.clear();
    print_note(harness::printable(fmt::format("found: {}{}, {}", way.property, kind, fault)) + "\n");
  };
  const LimitGuard guard(time_from(arguments.time), {});  // what was found until it is stopped is kept
  order.stop = guard.stop();
  order.is_limited = !arguments.time.empty();
  harness::SweptReport report = execution::sweep(order);
  line.clear();
  return print_sweep(arguments, report);
}

}  // namespace lockproof::cli
