// SPDX-License-Identifier: Apache-2.0
#include "certify/certify.hpp"

#include <algorithm>

#include "certify/generator.hpp"
#include "certify/sides.hpp"
#include "sim/redis/commands.hpp"
#include "sim/redis/words.hpp"

namespace lockproof::certify {
namespace {

constexpr std::size_t sequence_steps = 200;  // then both begin anew: a difference is found within its sequence

std::string verb_of(const Step& step) {
  std::string verb = sim::redis::upper(step.words[0].bytes());
  if ((verb == "SCRIPT" || verb == "CLIENT") && step.words.size() > 1)
    verb += " " + sim::redis::upper(step.words[1].bytes());
  const bool known = std::ranges::binary_search(sim::redis::command_table(), verb, {}, &sim::redis::CommandRule::verb);
  return known ? verb : "other";
}

/// Its first words, as far as they do not depend on what was asked.
std::string kind_of(const Reply& error) {
  const std::string& text = error.value().bytes();
  const std::size_t varies = std::min(text.find_first_of("\":,("), text.find(" '"));
  constexpr std::string_view option = "ERR Unsupported option";
  if (text.starts_with(option)) return std::string(option);
  std::string kind = text.substr(0, std::min(varies, text.find(" script: ")));
  while (kind.ends_with(' ')) kind.pop_back();
  return kind;
}

void count(std::span<const Step> run, const Outcome& outcome, Report& report) {
  std::size_t reply = 0;
  for (const Step& step : run) {
    report.clock_steps += step.kind == Step::Kind::clock;
    if (step.kind != Step::Kind::command) continue;
    ++report.commands;
    ++report.verbs[verb_of(step)];
    if (reply == outcome.replies.size()) continue;  // it never came, which is a difference
    const Reply& answered = outcome.replies[reply++];
    if (answered.is_error()) ++report.errors[kind_of(answered)];
  }
}

Difference described(Sides& sides, Steps steps, const Mismatch& seen) {
  Mismatch mismatch = seen;
  Difference difference;
  if (getenv("RAW")) {
  } else if (const auto again = sides.replay(steps)) {
    steps.resize(again->steps);
    steps = sides.minimised(std::move(steps), again->what);
    mismatch = sides.replay(steps).value_or(*again);
  }
  difference.test = as_test(steps, mismatch);
  difference.steps = std::move(steps);
  difference.what = mismatch.what;
  difference.simulated = mismatch.simulated;
  difference.real = mismatch.real;
  return difference;
}

}  // namespace

Report certify(const Options& options) {
  Sides sides(options.plant);
  Generator generator(options.seed);
  Report report;
  report.version = sides.real.version();
  while (report.commands < options.commands) {
    sides.reset();
    ++report.sequences;
    Steps steps;
    while (steps.size() < sequence_steps && report.commands < options.commands) {
      const std::size_t begin = steps.size();
      Outcome simulated;
      const auto take = [&](Step step) {
        sides.model.run(step, simulated);
        steps.push_back(std::move(step));
      };
      for (Step& step : generator.between(sides.model)) take(std::move(step));
      const Generator::Run next = generator.next_run();
      const std::uint64_t commands = std::min<std::uint64_t>(next.commands, options.commands - report.commands);
      for (std::uint64_t i = 0; i < commands; ++i) take(generator.command(sides.model, next.connection));
      while (sides.model.held_until()) {
        Step clock = generator.release(sides.model);
        clock.answered = simulated.replies.size();
        clock.paused = sides.model.paused();
        take(std::move(clock));
      }

      const std::span<const Step> run(steps.data() + begin, steps.size() - begin);
      const Outcome real = sides.real.run(run);
      count(run, real, report);
      if (const auto mismatch = Sides::compare(run, simulated, real)) {
        steps.resize(begin + mismatch->steps);
        report.difference = described(sides, std::move(steps), *mismatch);
        return report;
      }
    }
  }
  return report;
}

}  // namespace lockproof::certify
