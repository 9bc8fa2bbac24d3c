// SPDX-License-Identifier: Apache-2.0
#include "conformance/memcached/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/core/shown.hpp"
#include "conformance/core/shrunk.hpp"
#include "conformance/memcached/generator.hpp"
#include "conformance/memcached/real_side.hpp"
#include "real/services/memcached/memcached_driver.hpp"

namespace lockproof::conformance::memcached {
namespace {

constexpr int bursts = 12;  // bursts of a sequence; then both sides begin anew
constexpr int burst_commands = 50;
constexpr int tries = 5;  // to run a sequence again without a tick in a burst

/// Both sides, and the ticks that the real one has counted since the sequence began.
class Sides : public Pinned {
 public:
  Sides(const Mutant* mutant, const std::string& program) : mutant_(mutant), real_(program) {}

  void reset() {
    model_ = std::make_unique<sim::memcached::Node>();
    real_.await_tick(real_.tick() + 1);
    real_.reset();
    begun_ = real_.tick();
    passed_ = 0;
  }
  void pass(int ticks) {
    passed_ += ticks;
    real_.await_tick(begun_ + passed_);
  }
  /// Whether the real server's count is still the model's time.
  [[nodiscard]] bool in_time() { return real_.tick() == begun_ + passed_; }

  struct Replies {
    Reply simulated, real;
  };
  [[nodiscard]] Replies run(const std::vector<Value>& words) {
    const Command command(words);
    const sim::ServerTime at{Duration(harness::epoch).count() / 1'000 + passed_ * 1'000, passed_ * 1'000'000,
                             seconds(passed_)};
    return {mutant_ ? mutant_->run(*model_, command, at) : plain(*model_, command, at), real_.run(command)};
  }
  [[nodiscard]] std::int64_t newest() const { return model_->items().unique(); }

 private:
  const Mutant* const mutant_;
  RealSide real_;
  std::unique_ptr<sim::memcached::Node> model_;
  std::int64_t begun_ = 0, passed_ = 0;
};

/// The first difference when these steps are run from the beginning; nothing: there is none, or no try was in time.
std::optional<Difference> replay(Sides& sides, const Steps& steps) {
  for (int i = 0; i < tries; ++i) {
    sides.reset();
    std::optional<Difference> seen;
    bool in_time = true;
    for (std::size_t k = 0; k < steps.size() && in_time && !seen; ++k) {
      if (steps[k].ticks > 0) {
        in_time = sides.in_time();
        sides.pass(steps[k].ticks);
        continue;
      }
      const auto replies = sides.run(steps[k].words);
      if (replies.simulated == replies.real) continue;
      seen = Difference{Steps(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(k) + 1),
                        conformance::shown(replies.simulated), conformance::shown(replies.real)};
    }
    if (in_time && sides.in_time()) return seen;
  }
  return std::nullopt;
}

std::string kind_of(const Command& command, const Reply& reply) {
  const bool plain_text = reply.kind() == Reply::Kind::status || reply.is_error();
  std::string text = plain_text ? reply.value().bytes() : reply.is_nil() ? "nil" : "an item";
  if (command.verb() == "incr" && text.find_first_not_of("0123456789") == std::string::npos) text = "a number";
  return fmt::format("{}: {}", command.verb(), text);
}

/// Runs one sequence. A discarded one is not counted.
void run_sequence(Sides& sides, Generator& generator, const Options& options, Report& report) {
  Steps steps;
  Report counted;
  std::optional<Difference> seen;
  sides.reset();
  for (int burst = 0; burst < bursts && !seen; ++burst) {
    if (const int ticks = generator.ticks(); ticks > 0) {
      sides.pass(ticks);
      steps.push_back({.ticks = ticks});
      counted.ticks += static_cast<std::uint64_t>(ticks);
    }
    for (int i = 0; i < burst_commands && !seen; ++i) {
      steps.push_back(generator.command(sides.newest()));
      const auto replies = sides.run(steps.back().words);
      ++counted.commands;
      ++counted.replies[kind_of(Command(steps.back().words), replies.real)];
      if (replies.simulated == replies.real) continue;
      seen = Difference{steps, conformance::shown(replies.simulated), conformance::shown(replies.real)};
    }
    if (!sides.in_time()) {
      ++report.thrown_away;
      return;
    }
  }
  ++report.sequences;
  report.commands += counted.commands;
  report.ticks += counted.ticks;
  for (const auto& [kind, count] : counted.replies) report.replies[kind] += count;
  if (seen)
    report.difference =
        options.shrinks ? conformance::shrunk(*std::move(seen), [&](const Steps& some) { return replay(sides, some); })
                        : std::move(seen);
}

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
  Sides sides(options.mutant, options.program);
  Generator generator(options.seed);
  Report report{.version = real::memcached_version(options.program)};
  while (report.commands < options.commands && !report.difference) run_sequence(sides, generator, options, report);
  return report;
}

}  // namespace lockproof::conformance::memcached
