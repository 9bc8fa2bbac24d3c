// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/conformance.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/redis/generator.hpp"
#include "conformance/redis/nodes_generator.hpp"
#include "conformance/redis/nodes_sides.hpp"
#include "conformance/redis/sides.hpp"
#include "real/errors.hpp"
#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance {
namespace {

constexpr std::size_t sequence_steps = 200;  // then both begin anew: a difference is found within its sequence
constexpr std::size_t nodes_steps = 1000;    // for several nodes, which take longer to begin anew

std::string verb_of(const Step& step) {
  std::string verb = sim::redis::upper(step.words[0].bytes());
  if ((verb == "SCRIPT" || verb == "CLIENT") && step.words.size() > 1)
    verb += " " + sim::redis::upper(step.words[1].bytes());
  const bool known = std::ranges::binary_search(sim::redis::command_table(), verb, {}, &sim::redis::CommandRule::verb);
  return known ? verb : "other";
}

/// The first words of an error, as far as they do not depend on the command.
std::string kind_of(const Reply& error) {
  const std::string& text = error.value().bytes();
  const std::size_t varies = std::min(text.find_first_of("\":,("), text.find(" '"));
  constexpr std::string_view option = "ERR Unsupported option";
  if (text.starts_with(option)) return std::string(option);
  std::string kind = text.substr(0, std::min(varies, text.find(" script: ")));
  while (kind.ends_with(' ')) kind.pop_back();
  return kind;
}

void count(std::span<const Step> run, const Outcome& outcome, Part& part, Report& report) {
  std::size_t reply = 0;
  for (const Step& step : run) {
    part.clock_steps += step.kind == Step::Kind::clock;
    if (step.kind != Step::Kind::command) continue;
    ++part.commands;
    ++report.verbs[verb_of(step)];
    if (reply == outcome.replies.size()) continue;  // the reply never came, which is a difference
    const Reply& answered = outcome.replies[reply++];
    if (answered.is_error()) ++report.errors[kind_of(answered)];
  }
}

template <class Both>
Difference described(Both& sides, const Options& options, Steps steps, const Mismatch& seen) {
  Mismatch mismatch = seen;
  Difference difference;
  const auto rerun = [&](const Steps& some) { return sides.rerun(some); };
  const auto again = options.shrinks ? sides.rerun(steps) : std::nullopt;
  if (again) {
    steps.resize(again->steps);
    steps = minimised(std::move(steps), again->what, rerun);
    mismatch = sides.rerun(steps).value_or(*again);
  }
  difference.test = sides.as_test(steps, mismatch);
  difference.steps = std::move(steps);
  difference.what = mismatch.what;
  difference.simulated = mismatch.simulated;
  difference.real = mismatch.real;
  return difference;
}

/// Runs sequences up to the first difference.
void compare_one(const Options& options, std::uint64_t commands_max, Report& report) {
  Sides sides(options.mutant, options.program);
  Generator generator(options.seed);
  Part& part = report.one;
  report.version = sides.real.version();
  while (part.commands < commands_max) {
    sides.reset();
    ++part.sequences;
    Steps steps;
    while (steps.size() < sequence_steps && part.commands < commands_max) {
      const std::size_t begin = steps.size();
      Outcome simulated;
      const auto take = [&](Step step) {
        part.coverage.before(step, sides.model);
        sides.model.run(step, simulated);
        steps.push_back(std::move(step));
      };
      for (Step& step : generator.between(sides.model)) take(std::move(step));
      const Generator::Run next = generator.next_run();
      const std::uint64_t commands = std::min<std::uint64_t>(next.commands, commands_max - part.commands);
      for (std::uint64_t i = 0; i < commands; ++i) take(generator.command(sides.model, next.connection));
      while (sides.model.held_until()) {
        Step clock = generator.release(sides.model);
        clock.answered = simulated.replies.size();
        clock.paused = sides.model.paused();
        take(std::move(clock));
      }

      const std::span<const Step> run(steps.data() + begin, steps.size() - begin);
      const Outcome real = sides.real.run(run);
      count(run, real, part, report);
      part.coverage.after(run, real);
      if (const auto mismatch = Sides::compare(run, simulated, real)) {
        steps.resize(begin + mismatch->steps);
        report.difference = described(sides, options, std::move(steps), *mismatch);
        return;
      }
    }
  }
}

void compare_several(const Options& options, std::uint64_t commands_max, Report& report) {
  NodesSides sides(options.mutant, options.program);
  NodesGenerator generator(options.seed);
  Part& part = report.several;
  report.version = sides.real.version();
  while (part.commands < commands_max) {
    sides.reset();
    ++part.sequences;
    Steps steps, run;
    Outcome simulated;
    const auto take = [&](Step step) {
      part.coverage.before(step, sides.model);
      sides.model.run(step, simulated);
      run.push_back(std::move(step));
    };
    const auto agree = [&] {
      const Outcome real = sides.real.run(run);
      count(run, real, part, report);
      part.coverage.after(run, real);
      const auto mismatch = Sides::compare(run, std::exchange(simulated, {}), real);
      if (mismatch) run.resize(mismatch->steps);
      std::ranges::move(std::exchange(run, {}), std::back_inserter(steps));
      if (mismatch) report.difference = described(sides, options, steps, *mismatch);
      return !mismatch;
    };
    while (steps.size() < nodes_steps && part.commands < commands_max) {
      if (auto step = generator.between(sides.model)) {
        take(sides.model.as_far_as_possible(*std::move(step)));
        if (!agree()) return;
      }
      const NodesGenerator::Run next = generator.next_run(sides.model);
      const std::uint64_t commands = std::min<std::uint64_t>(next.commands, commands_max - part.commands);
      for (std::uint64_t i = 0; i < commands; ++i) take(generator.command(sides.model, next));
      if (!agree()) return;
    }
  }
}

}  // namespace

Report compare(const Options& options) {
  using Nodes = Options::Nodes;
  const bool mutated = options.mutant != nullptr;
  const bool one = options.nodes != Nodes::several && !(mutated && options.mutant->several);
  const bool several = options.nodes != Nodes::one && !(mutated && !options.mutant->several);
  const std::uint64_t for_several = !several ? 0 : one ? options.commands / several_share : options.commands;
  Report report;
  if (one) compare_one(options, options.commands - for_several, report);
  if (several && !report.difference) compare_several(options, for_several, report);
  return report;
}

}  // namespace lockproof::conformance
