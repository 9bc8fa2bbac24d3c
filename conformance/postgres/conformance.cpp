// SPDX-License-Identifier: Apache-2.0
#include "conformance/postgres/conformance.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <utility>

#include "conformance/core/comparison.hpp"
#include "conformance/core/shown.hpp"
#include "conformance/postgres/generator.hpp"
#include "conformance/postgres/mutants.hpp"
#include "conformance/postgres/real_side.hpp"
#include "real/services/postgres/postgres_driver.hpp"

namespace lockproof::conformance::postgres {
namespace {

constexpr const char* waits_text = "it waits";

std::string reply_text(const std::optional<Reply>& reply) { return reply ? conformance::shown(*reply) : waits_text; }

std::string kind_of(const Reply& reply) {
  if (reply.is_nil()) return "nil";
  if (reply.kind() == Reply::Kind::status || reply.is_error()) return reply.value().bytes();
  const std::string& first = reply.items()[0].value().bytes();
  return first == "t" || first == "f" ? first : "a number";
}

class PostgresComparison final : public StepwiseComparison<Step> {
 public:
  explicit PostgresComparison(const Options& options)
      : StepwiseComparison({.sequence_steps = 60}), mutant_(mutant_named(mutants(), options.mutant)),
        real_(options.program), generator_(options.seed) {}

  [[nodiscard]] std::string text_of(const Steps& steps) const override { return shown(steps); }

 protected:
  void reset() override {
    model_ = std::make_unique<sim::postgres::Node>();
    real_.reset(std::exchange(waiting_, {}));
    wall_ms_ = Duration(harness::epoch).count() / 1000;
    real_.show(wall_ms_);
  }
  [[nodiscard]] Step draw(std::size_t /*place*/) override { return generator_.next(waiting_, wall_ms_); }
  [[nodiscard]] OptionalMismatch run(const Step& step) override {
    last_waits_ = false;
    if (step.kind == Step::Kind::time) {
      wall_ms_ += step.ms;
      real_.show(wall_ms_);
      return std::nullopt;
    }
    if (waiting_.contains(step.connection)) return std::nullopt;  // a shorter sequence may come to this
    if (step.kind == Step::Kind::end) {
      if (!mutant_ || !mutant_->forgets_ends) (void)model_->connection_ended(step.connection, at());
      real_.end(step.connection);
    } else if (auto differ = statement(step)) {
      return differ;
    }
    return those_that_go_on();
  }
  void count(const Step& step, Report& report) override {
    Counts& counts = report.tables[counted];
    counts["connections that ended"] += step.kind == Step::Kind::end;
    if (step.kind != Step::Kind::statement) return;
    ++report.commands;
    counts["statements that waited"] += last_waits_;
    ++report.tables[answered][fmt::format("{}: {}", step.command.script(), last_waits_ ? waits_text : kind_of(last_))];
  }

 private:
  [[nodiscard]] sim::ServerTime at() const { return {wall_ms_, 0, {}}; }

  OptionalMismatch statement(const Step& step) {
    const sim::Request request{step.connection, step.command, at()};
    const sim::NodeAnswer executed = mutant_ ? mutant_->execute(*model_, request) : model_->execute(request);
    const std::optional<Reply> simulated = executed.waits ? std::nullopt : std::optional(executed.reply);
    if (executed.waits) waiting_.insert(step.connection);
    const std::optional<Reply> real = real_.run(step.connection, step.command, executed.waits);
    if (!real) waiting_.insert(step.connection);
    last_waits_ = !real;
    if (real) last_ = *real;
    if (simulated == real) return std::nullopt;
    return Mismatch{reply_text(simulated), reply_text(real)};
  }

  OptionalMismatch those_that_go_on() {
    if (!model_->due(sim::HostClocks(harness::ClockSpec{}))) return std::nullopt;
    for (const auto& answer : model_->on_timer(at())) {
      waiting_.erase(answer.connection);
      const Reply real = real_.answer(answer.connection);
      if (answer.reply != real) return Mismatch{conformance::shown(answer.reply), conformance::shown(real)};
    }
    return std::nullopt;
  }

  const Mutant* const mutant_;
  RealSide real_;
  Generator generator_;
  std::unique_ptr<sim::postgres::Node> model_;
  std::set<int> waiting_;
  std::int64_t wall_ms_ = 0;
  Reply last_ = Reply::nil();
  bool last_waits_ = false;
};

}  // namespace

std::string shown(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::time: text += fmt::format("{} ms pass\n", step.ms); break;
      case Step::Kind::end: text += fmt::format("connection {} ends\n", step.connection); break;
      case Step::Kind::statement: {
        text += fmt::format("connection {}: {}", step.connection, step.command.script());
        for (std::size_t i = 3; i < step.command.args().size(); ++i) text += " " + step.command.args()[i].bytes();
        text += "\n";
      }
    }
  }
  return text;
}

Report compare(const Options& options) {
  PostgresComparison comparison(options);
  return conformance::compare(comparison, options, real::postgres_version(options.program));
}

std::vector<MutantName> mutant_names() { return names_of(mutants()); }

}  // namespace lockproof::conformance::postgres
