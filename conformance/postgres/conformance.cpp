// SPDX-License-Identifier: Apache-2.0
#include "conformance/postgres/conformance.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <utility>

#include "conformance/core/shown.hpp"
#include "conformance/core/shrunk.hpp"
#include "conformance/postgres/generator.hpp"
#include "conformance/postgres/real_side.hpp"
#include "real/services/postgres/postgres_driver.hpp"

namespace lockproof::conformance::postgres {
namespace {

constexpr int sequence_steps = 60;  // then both sides begin anew
constexpr const char* waits_text = "it waits";

std::string text_of(const std::optional<Reply>& reply) { return reply ? conformance::shown(*reply) : waits_text; }

/// Both sides, and the difference that the last step has shown.
class Sides : public Pinned {
 public:
  Sides(const Mutant* mutant, const std::string& program) : mutant_(mutant), real_(program) {}

  void reset() {
    model_ = std::make_unique<sim::postgres::Node>();
    real_.reset(std::exchange(waiting_, {}));
    wall_ms_ = Duration(harness::epoch).count() / 1000;
    real_.show(wall_ms_);
  }
  [[nodiscard]] const std::set<int>& waiting() const { return waiting_; }
  [[nodiscard]] std::int64_t wall_ms() const { return wall_ms_; }
  [[nodiscard]] Reply last_reply() const { return last_; }

  /// The replies that differ; nothing: none does.
  std::optional<std::pair<std::string, std::string>> run(const Step& step) {
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

 private:
  [[nodiscard]] sim::ServerTime at() const { return {wall_ms_, 0, {}}; }

  std::optional<std::pair<std::string, std::string>> statement(const Step& step) {
    const sim::Request request{step.connection, step.command, at()};
    const sim::Executed executed = mutant_ ? mutant_->execute(*model_, request) : model_->execute(request);
    const std::optional<Reply> simulated = executed.waits ? std::nullopt : std::optional(executed.reply);
    if (executed.waits) waiting_.insert(step.connection);
    const std::optional<Reply> real = real_.run(step.connection, step.command, executed.waits);
    if (!real) waiting_.insert(step.connection);
    if (real) last_ = *real;
    if (simulated == real) return std::nullopt;
    return std::pair(text_of(simulated), text_of(real));
  }

  std::optional<std::pair<std::string, std::string>> those_that_go_on() {
    if (!model_->due(sim::HostClocks(harness::ClockSpec{}))) return std::nullopt;
    for (const auto& answer : model_->on_timer(at())) {
      waiting_.erase(answer.connection);
      const Reply real = real_.answer(answer.connection);
      if (answer.reply != real) return std::pair(conformance::shown(answer.reply), conformance::shown(real));
    }
    return std::nullopt;
  }

  const Mutant* const mutant_;
  RealSide real_;
  std::unique_ptr<sim::postgres::Node> model_;
  std::set<int> waiting_;
  std::int64_t wall_ms_ = 0;
  Reply last_ = Reply::nil();
};

/// The first difference when these steps are run from the beginning.
std::optional<Difference> replay(Sides& sides, const Steps& steps) {
  sides.reset();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (auto differ = sides.run(steps[i])) {
      return Difference{Steps(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i) + 1), differ->first,
                        differ->second};
    }
  }
  return std::nullopt;
}

std::string kind_of(const Reply& reply) {
  if (reply.is_nil()) return "nil";
  if (reply.kind() == Reply::Kind::status || reply.is_error()) return reply.value().bytes();
  const std::string& first = reply.items()[0].value().bytes();
  return first == "t" || first == "f" ? first : "a number";
}

void run_sequence(Sides& sides, Generator& generator, const Options& options, Report& report) {
  sides.reset();
  Steps steps;
  for (int i = 0; i < sequence_steps; ++i) {
    steps.push_back(generator.next(sides.waiting(), sides.wall_ms()));
    const Step& step = steps.back();
    const std::size_t waited = sides.waiting().size();
    auto differ = sides.run(step);
    report.ends += step.kind == Step::Kind::end;
    if (step.kind == Step::Kind::statement) {
      const bool waits = sides.waiting().size() > waited;
      ++report.commands;
      report.waits += waits;
      ++report.replies[fmt::format("{}: {}", step.command.script(), waits ? waits_text : kind_of(sides.last_reply()))];
    }
    if (!differ) continue;
    Difference seen{steps, differ->first, differ->second};
    report.difference =
        options.shrinks ? conformance::shrunk(std::move(seen), [&](const Steps& some) { return replay(sides, some); })
                        : std::move(seen);
    return;
  }
  ++report.sequences;
}

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
  Report report{.version = real::postgres_version(options.program)};
  Sides sides(options.mutant, options.program);
  Generator generator(options.seed);
  while (report.commands < options.commands && !report.difference) run_sequence(sides, generator, options, report);
  return report;
}

}  // namespace lockproof::conformance::postgres
