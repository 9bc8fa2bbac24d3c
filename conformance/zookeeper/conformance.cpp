// SPDX-License-Identifier: Apache-2.0
#include "conformance/zookeeper/conformance.hpp"

#include <fmt/format.h>

#include "conformance/core/comparison.hpp"
#include "conformance/zookeeper/generator.hpp"
#include "conformance/zookeeper/sides.hpp"

namespace lockproof::conformance::zookeeper {
namespace {

std::string kind_of(const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::bulk: return "a name";
    case Reply::Kind::array: return reply.items().empty() ? "no names" : "names";
    case Reply::Kind::integer: return fmt::format("{}", reply.integer());
    case Reply::Kind::nil: return "there is one";
    default: return reply.value().bytes();
  }
}

/// A server that removes a connection while it adds the session's next one may forget the next one: a race of its
/// threads (docs/semantics/known-gaps.md), and no rule. A replay does not show it again.
class ZooKeeperComparison final : public StepwiseComparison<Step> {
 public:
  explicit ZooKeeperComparison(const Options& options)
      : StepwiseComparison({.sequence_steps = 60, .depends_on_time = true}),
        sides_(mutant_named(mutants(), options.mutant), options.program), generator_(options.seed) {}

  void begin() override {
    reset();
    first_ = generator_.first();
  }
  [[nodiscard]] OptionalMismatch finish() override { return sides_.rest(); }
  [[nodiscard]] bool late() override { return sides_.late(); }
  void add_totals(Report& report) const override { report.tables[counted]["times that a watch told"] = sides_.told(); }
  [[nodiscard]] std::string text_of(const Steps& steps) const override { return shown(steps); }

 protected:
  void reset() override { sides_.reset(); }
  [[nodiscard]] Step draw(std::size_t place) override {
    return place < first_.size() ? first_[place] : generator_.next(sides_.made(), sides_.without_session());
  }
  [[nodiscard]] OptionalMismatch run(const Step& step) override { return sides_.run(step); }
  void count(const Step& step, Report& report) override {
    Counts& counts = report.tables[counted];
    counts["sessions that ended by themselves"] += step.kind == Step::Kind::silence;
    counts["sessions that nearly ended"] += step.kind == Step::Kind::hush;
    counts["reconnections"] += step.kind == Step::Kind::reconnect;
    counts["reconnections before the end of the last connection"] += step.kind == Step::Kind::overtake;
    const bool connects = step.kind == Step::Kind::connect;
    if (!connects && step.kind != Step::Kind::request) return;
    ++report.commands;
    ++report.tables[answered][connects ? std::string("CONNECT: a session")
                                       : fmt::format("{}: {}", step.verb, kind_of(sides_.last_reply()))];
  }

 private:
  Sides sides_;
  Generator generator_;
  Steps first_;
};

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
  ZooKeeperComparison comparison(options);
  return conformance::compare(comparison, options, real::zookeeper_version(options.program));
}

std::vector<MutantName> mutant_names() { return names_of(mutants()); }

}  // namespace lockproof::conformance::zookeeper
