// SPDX-License-Identifier: Apache-2.0
#include "conformance/zookeeper/conformance.hpp"

#include <fmt/format.h>

#include <utility>

#include "conformance/core/shrunk.hpp"
#include "conformance/zookeeper/generator.hpp"
#include "conformance/zookeeper/sides.hpp"
#include "real/errors.hpp"

namespace lockproof::conformance::zookeeper {
namespace {

constexpr int sequence_steps = 60;              // then both sides begin anew
constexpr int replays_most = 5;                 // of one that the machine was late for
constexpr std::uint64_t thrown_away_most = 10;  // for each that was compared, and some at first
constexpr int confirmations = 3;                // replays of which one must show a difference again

/// The first difference when these steps are run from the beginning.
std::optional<Difference> replay(Sides& sides, const Steps& steps) {
  for (int i = 0; i < replays_most; ++i) {
    sides.reset();
    for (std::size_t done = 0; done < steps.size() && !sides.late(); ++done) {
      if (auto differ = sides.run(steps[done])) {
        return Difference{Steps(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(done) + 1), differ->first,
                          differ->second};
      }
    }
    if (sides.late()) continue;
    if (auto differ = sides.rest()) return Difference{steps, differ->first, differ->second};
    if (!sides.late()) return std::nullopt;
  }
  return std::nullopt;
}

/// A server that removes a connection while it adds the session's next one may forget the next one: a race of its
/// threads (docs/semantics/known-gaps.md), and no rule.
bool is_confirmed(Sides& sides, const Steps& steps) {
  for (int i = 0; i < confirmations; ++i) {
    if (replay(sides, steps)) return true;
  }
  return false;
}

std::string kind_of(const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::bulk: return "a name";
    case Reply::Kind::array: return reply.items().empty() ? "no names" : "names";
    case Reply::Kind::integer: return fmt::format("{}", reply.integer());
    case Reply::Kind::nil: return "there is one";
    default: return reply.value().bytes();
  }
}

void count(const Step& step, const Reply& reply, Report& report) {
  report.silences += step.kind == Step::Kind::silence;
  report.hushes += step.kind == Step::Kind::hush;
  report.reconnections += step.kind == Step::Kind::reconnect;
  report.overtakings += step.kind == Step::Kind::overtake;
  const bool connects = step.kind == Step::Kind::connect;
  if (!connects && step.kind != Step::Kind::request) return;
  ++report.commands;
  ++report.replies[fmt::format("{}: {}", connects ? "CONNECT" : step.verb, connects ? "a session" : kind_of(reply))];
}

void run_sequence(Sides& sides, Generator& generator, const Options& options, Report& report) {
  sides.reset();
  Steps steps;
  Steps drawn = generator.first();
  Report counted = report;
  std::optional<Difference> seen;
  for (int i = 0; i < sequence_steps && !seen && !sides.late(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    steps.push_back(place < drawn.size() ? drawn[place] : generator.next(sides.made(), sides.without_session()));
    auto differ = sides.run(steps.back());
    count(steps.back(), sides.last_reply(), counted);
    if (differ) seen = Difference{steps, differ->first, differ->second};
  }
  if (!seen && !sides.late()) {
    if (auto differ = sides.rest()) seen = Difference{steps, differ->first, differ->second};
  }
  if (!seen && sides.late()) {
    ++report.thrown_away;
    return;
  }
  if (seen && !is_confirmed(sides, steps)) {
    ++report.unconfirmed;
    return;
  }
  report = std::move(counted);
  report.told = sides.told();
  if (!seen) {
    ++report.sequences;
    return;
  }
  report.difference =
      options.shrinks ? conformance::shrunk(*std::move(seen), [&](const Steps& some) { return replay(sides, some); })
                      : *std::move(seen);
}

}  // namespace

std::string shown(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    text += fmt::format("client {}: ", step.client);
    switch (step.kind) {
      case Step::Kind::connect: text += fmt::format("a new session of {} ticks\n", step.ticks); break;
      case Step::Kind::reconnect: text += "another connection\n"; break;
      case Step::Kind::overtake: text += "another connection, before the last one has ended\n"; break;
      case Step::Kind::silence: text += "silent until its session has ended\n"; break;
      case Step::Kind::hush: text += "silent for nearly its time-out\n"; break;
      case Step::Kind::request: {
        const char* const more = step.verb == "CREATE" ? step.flag ? " ES" : " E" : step.flag ? " W" : "";
        text += fmt::format("{} {}{}\n", step.verb, step.name, more);
      }
    }
  }
  return text;
}

Report compare(const Options& options) {
  Report report{.version = real::zookeeper_version(options.program)};
  Sides sides(options.mutant, options.program);
  Generator generator(options.seed);
  while (report.commands < options.commands && !report.difference) {
    run_sequence(sides, generator, options, report);
    if (report.thrown_away + report.unconfirmed > thrown_away_most * (report.sequences + thrown_away_most)) {
      throw real::BadEnvironment("the machine is too late to keep sessions; try again when it does less");
    }
  }
  return report;
}

}  // namespace lockproof::conformance::zookeeper
