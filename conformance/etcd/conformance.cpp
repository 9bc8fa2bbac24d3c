// SPDX-License-Identifier: Apache-2.0
#include "conformance/etcd/conformance.hpp"

#include <fmt/format.h>

#include <utility>

#include "conformance/core/shrunk.hpp"
#include "conformance/etcd/generator.hpp"
#include "conformance/etcd/sides.hpp"
#include "real/errors.hpp"

namespace lockproof::conformance::etcd {
namespace {

constexpr int sequence_steps = 100;             // then both sides begin anew
constexpr int replays_most = 5;                 // of one that the machine was late for
constexpr std::uint64_t thrown_away_most = 10;  // for each that was compared, and some at first

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
    return std::nullopt;
  }
  return std::nullopt;
}

std::string kind_of(const std::string& verb, const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::array:
      if (verb == "LEASE-GRANT") return "a lease";
      return verb == "PUT-IF-ABSENT" ? reply.items()[0].is_integer(1) ? "done" : "there is one" : "a key";
    case Reply::Kind::integer:
      return verb == "LEASE-KEEPALIVE" && !reply.is_integer(0) ? "its time" : fmt::format("{}", reply.integer());
    case Reply::Kind::nil: return "none";
    default: return reply.value().bytes();
  }
}

void count(const Step& step, const std::optional<Reply>& reply, Report& report) {
  report.knocks += step.kind == Step::Kind::knock;
  report.restarts += step.kind == Step::Kind::restart;
  report.reconnections += step.kind == Step::Kind::reconnect;
  if (!reply || (step.kind != Step::Kind::request && step.kind != Step::Kind::watch)) return;
  const std::string verb = step.kind == Step::Kind::watch ? "WATCH" : step.verb;
  ++report.commands;
  ++report.replies[fmt::format("{}: {}", verb, kind_of(verb, *reply))];
}

void run_sequence(Sides& sides, Generator& generator, const Options& options, Report& report) {
  sides.reset();
  generator.begin();
  Steps steps;
  Report counted = report;
  std::optional<Difference> seen;
  for (int i = 0; i < sequence_steps && !seen && !sides.late(); ++i) {
    steps.push_back(generator.next());
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
  report = std::move(counted);
  report.told = sides.told();
  report.ended = sides.ended();
  report.sustained = sides.sustained();
  report.outlived = sides.outlived();
  if (!seen) {
    ++report.sequences;
    return;
  }
  report.difference =
      options.shrinks ? conformance::shrunk(*std::move(seen), [&](const Steps& some) { return replay(sides, some); })
                      : *std::move(seen);
}

std::string revision(const Step& step) {
  if (step.back < 0) return fmt::format("the revision behind the present one");
  return fmt::format("the revision {} before the present one", step.back);
}

std::string shown_request(const Step& step) {
  std::string text = step.verb;
  if (!step.name.empty()) text += " " + step.name;
  if (step.verb == "LEASE-GRANT") text += fmt::format(" of {} s, lease {}", step.seconds, step.lease);
  if (step.verb == "LEASE-REVOKE" || step.verb == "LEASE-KEEPALIVE") text += fmt::format(" lease {}", step.lease);
  if (step.verb == "PUT-IF-ABSENT") text += fmt::format(" lease {}, first of {}", step.lease, step.prefix);
  if (step.verb == "LAST-BEFORE" || step.verb == "DELETE-IF") text += " " + revision(step);
  return text;
}

}  // namespace

std::string shown(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::watch:
        text += fmt::format("client {}: WATCH what was shown {} before the last\n", step.client, step.back);
        break;
      case Step::Kind::reconnect: text += fmt::format("client {}: other connections\n", step.client); break;
      case Step::Kind::stand: text += "nothing for most of a short lease\n"; break;
      case Step::Kind::knock:
        text += fmt::format("LEASE-KEEPALIVE lease {} when it has just run out\n", step.lease);
        break;
      case Step::Kind::outlive:
        text += fmt::format("client {}: puts {} with lease {}, first of {}, and watches it until the lease has ended\n",
                            step.client, step.name, step.lease, step.prefix);
        break;
      case Step::Kind::sustain:
        text += fmt::format("LEASE-KEEPALIVE lease {} twice, when it is about to run out\n", step.lease);
        break;
      case Step::Kind::restart:
        text += fmt::format(
            "client {}: puts {} with lease {}, a new one of {} s, then the server is killed and starts again\n",
            step.client, step.name, step.lease, step.seconds);
        break;
      case Step::Kind::request: text += fmt::format("client {}: {}\n", step.client, shown_request(step));
    }
  }
  return text;
}

Report compare(const Options& options) {
  Report report{.version = real::etcd_version(options.program)};
  Sides sides(options.mutant, options.program);
  Generator generator(options.seed);
  while (report.commands < options.commands && !report.difference) {
    run_sequence(sides, generator, options, report);
    if (report.thrown_away > thrown_away_most * (report.sequences + thrown_away_most)) {
      throw real::BadEnvironment("the machine is too late to compare leases; try again when it does less");
    }
  }
  return report;
}

}  // namespace lockproof::conformance::etcd
