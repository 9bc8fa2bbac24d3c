// SPDX-License-Identifier: Apache-2.0
#include "conformance/memcached/conformance.hpp"

#include <fmt/format.h>

#include <memory>

#include "conformance/core/comparison.hpp"
#include "conformance/core/shown.hpp"
#include "conformance/memcached/generator.hpp"
#include "conformance/memcached/mutants.hpp"
#include "conformance/memcached/real_side.hpp"
#include "real/services/memcached/memcached_driver.hpp"

namespace lockproof::conformance::memcached {
namespace {

constexpr std::size_t bursts = 12, burst_commands = 50;

std::string kind_of(const Command& command, const Reply& reply) {
  const bool plain_text = reply.kind() == Reply::Kind::status || reply.is_error();
  std::string text = plain_text ? reply.value().bytes() : reply.is_nil() ? "nil" : "an item";
  if (command.verb() == "incr" && text.find_first_not_of("0123456789") == std::string::npos) text = "a number";
  return fmt::format("{}: {}", command.verb(), text);
}

/// Its model counts the ticks that the real server has counted since the sequence began.
class MemcachedComparison final : public StepwiseComparison<Step> {
 public:
  explicit MemcachedComparison(const Options& options)
      : StepwiseComparison({.sequence_steps = bursts * burst_commands}),
        mutant_(mutant_named(mutants(), options.mutant)), real_(options.program), generator_(options.seed) {}

  /// A burst of commands. It is late if a tick came meanwhile.
  [[nodiscard]] OptionalMismatch advance(Steps& steps, Report& report, std::uint64_t left) override {
    if (const int ticks = generator_.ticks(); ticks > 0) {
      steps.push_back({.ticks = ticks});
      pass(ticks);
      report.tables[counted]["ticks"] += static_cast<std::uint64_t>(ticks);
    }
    OptionalMismatch found;
    for (std::size_t i = 0; i < burst_commands && !found; ++i) found = StepwiseComparison::advance(steps, report, left);
    compare_ticks();
    return found;
  }
  [[nodiscard]] OptionalMismatch finish() override {
    compare_ticks();
    return std::nullopt;
  }
  [[nodiscard]] bool late() override { return late_; }
  [[nodiscard]] std::string text_of(const Steps& steps) const override { return shown(steps); }

 protected:
  void reset() override {
    model_ = std::make_unique<sim::memcached::Node>();
    real_.await_tick(real_.tick() + 1);
    real_.reset();
    begun_ = real_.tick();
    passed_ = 0;
    late_ = false;
  }
  [[nodiscard]] Step draw(std::size_t /*place*/) override { return generator_.command(model_->items().unique()); }
  [[nodiscard]] OptionalMismatch run(const Step& step) override {
    if (step.ticks > 0) {
      compare_ticks();
      pass(step.ticks);
      return std::nullopt;
    }
    const Command command(step.words);
    const sim::ServerTime at{Duration(harness::epoch).count() / 1'000 + passed_ * 1'000, passed_ * 1'000'000,
                             seconds(passed_)};
    const Reply simulated = mutant_ ? mutant_->run(*model_, command, at) : plain(*model_, command, at);
    last_ = real_.run(command);
    if (simulated == last_) return std::nullopt;
    compare_ticks();
    return Mismatch{conformance::shown(simulated), conformance::shown(last_)};
  }
  void count(const Step& step, Report& report) override {
    ++report.commands;
    ++report.tables[answered][kind_of(Command(step.words), last_)];
  }

 private:
  void pass(int ticks) {
    passed_ += ticks;
    real_.await_tick(begun_ + passed_);
  }
  /// Whether the real server has counted no tick besides those of the steps.
  void compare_ticks() { late_ = late_ || real_.tick() != begun_ + passed_; }

  const Mutant* const mutant_;
  RealSide real_;
  Generator generator_;
  std::unique_ptr<sim::memcached::Node> model_;
  std::int64_t begun_ = 0, passed_ = 0;
  bool late_ = false;
  Reply last_ = Reply::nil();
};

}  // namespace

std::string shown(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    text += step.ticks > 0 ? fmt::format("{} {}\n", step.ticks, step.ticks == 1 ? "tick" : "ticks")
                           : conformance::shown(step.words) + "\n";
  }
  return text;
}

Report compare(const Options& options) {
  MemcachedComparison comparison(options);
  return conformance::compare(comparison, options, real::memcached_version(options.program));
}

std::vector<MutantName> mutant_names() { return names_of(mutants()); }

}  // namespace lockproof::conformance::memcached
