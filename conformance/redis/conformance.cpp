// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/conformance.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/core/comparison.hpp"
#include "conformance/redis/coverage.hpp"
#include "conformance/redis/generator.hpp"
#include "conformance/redis/mutants.hpp"
#include "conformance/redis/nodes_generator.hpp"
#include "conformance/redis/nodes_sides.hpp"
#include "conformance/redis/sides.hpp"
#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {
namespace {

std::string verb_of(const Step& step) {
  const auto is_known = [](const std::string& verb) {
    return std::ranges::binary_search(sim::redis::command_table(), verb, {}, &sim::redis::CommandRule::verb);
  };
  const std::string verb = sim::redis::upper(step.words[0].bytes());
  if (is_known(verb)) return verb;
  const std::string whole = step.words.size() > 1 ? verb + " " + sim::redis::upper(step.words[1].bytes()) : verb;
  return is_known(whole) ? whole : "other";
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

void count(std::span<const Step> run, const Outcome& outcome, Report& report) {
  std::size_t reply = 0;
  for (const Step& step : run) {
    report.tables[counted]["steps of the clock"] += step.kind == Step::Kind::clock;
    if (step.kind != Step::Kind::command) continue;
    ++report.commands;
    ++report.tables["commands sent"][verb_of(step)];
    if (reply == outcome.replies.size()) continue;  // the reply never came, which is a difference
    const Reply& given = outcome.replies[reply++];
    if (given.is_error()) ++report.tables["errors answered"][kind_of(given)];
  }
}

using RedisComparison = Comparison<Step, Mismatch>;

/// One node or several, by the type of their sides.
template <class Both>
class ComparisonOf : public RedisComparison {
 public:
  void begin() override { sides_.reset(); }
  [[nodiscard]] OptionalMismatch replay(const Steps& steps) override { return sides_.rerun(steps); }
  [[nodiscard]] std::string text_of(const Steps& steps) const override { return shown(steps); }
  [[nodiscard]] std::string test_of(const Steps& steps, const Mismatch& mismatch) const override {
    return Both::as_test(steps, mismatch);
  }
  [[nodiscard]] std::string version() { return sides_.real.version(); }

 protected:
  ComparisonOf(Rules rules, const Options& options)
      : RedisComparison(rules), sides_(mutant_named(mutants(), options.mutant), options.program) {}

  void take(Step step) {
    coverage_.before(step, sides_.model);
    sides_.model.run(step, simulated_);
    run_.push_back(std::move(step));
  }
  /// Runs the steps that were taken on the real side.
  [[nodiscard]] OptionalMismatch compare_taken(Steps& steps, Report& report) {
    const Outcome real = sides_.real.run(run_);
    count(run_, real, report);
    coverage_.after(run_, real);
    auto mismatch = Sides::compare(run_, std::exchange(simulated_, {}), real);
    if (mismatch) mismatch->steps += steps.size();
    std::ranges::move(std::exchange(run_, {}), std::back_inserter(steps));
    return mismatch;
  }
  void add_tried(Report& report, bool CoverageItem::*here) const {
    for (const CoverageItem& tried : to_be_tried()) {
      if (tried.*here) report.tables["tried"][std::string(tried.name)] = coverage_.of(tried.name);
    }
  }

  Both sides_;
  Coverage coverage_;
  Steps run_;
  Outcome simulated_;
};

class OneNode final : public ComparisonOf<Sides> {
 public:
  explicit OneNode(const Options& options) : ComparisonOf({.sequence_steps = 200}, options), generator_(options.seed) {}

  [[nodiscard]] OptionalMismatch advance(Steps& steps, Report& report, std::uint64_t left) override {
    for (Step& step : generator_.between(sides_.model)) take(std::move(step));
    const Generator::Run next = generator_.next_run();
    const std::uint64_t commands = std::min<std::uint64_t>(next.commands, left);
    for (std::uint64_t i = 0; i < commands; ++i) take(generator_.command(sides_.model, next.connection));
    while (sides_.model.held_until()) {
      Step clock = generator_.release(sides_.model);
      clock.answered = simulated_.replies.size();
      clock.paused = sides_.model.paused();
      take(std::move(clock));
    }
    return compare_taken(steps, report);
  }
  void add_totals(Report& report) const override { add_tried(report, &CoverageItem::one); }

 private:
  Generator generator_;
};

class SeveralNodes final : public ComparisonOf<NodesSides> {
 public:
  /// Their sequences are longer, since they take longer to begin anew.
  explicit SeveralNodes(const Options& options)
      : ComparisonOf({.sequence_steps = 1000}, options), generator_(options.seed) {}

  [[nodiscard]] OptionalMismatch advance(Steps& steps, Report& report, std::uint64_t left) override {
    if (auto step = generator_.between(sides_.model)) {
      take(sides_.model.as_far_as_possible(*std::move(step)));
      if (auto found = compare_taken(steps, report)) return found;
    }
    const NodesGenerator::Run next = generator_.next_run(sides_.model);
    const std::uint64_t commands = std::min<std::uint64_t>(next.commands, left);
    for (std::uint64_t i = 0; i < commands; ++i) take(generator_.command(sides_.model, next));
    return compare_taken(steps, report);
  }
  void add_totals(Report& report) const override { add_tried(report, &CoverageItem::several); }

 private:
  NodesGenerator generator_;
};

template <class Nodes>
Report compare_as(const Options& options) {
  Nodes comparison(options);
  return conformance::compare(comparison, options, comparison.version());
}

std::vector<MutantName> names_where(bool several) {
  std::vector<MutantName> names;
  for (const Mutant& mutant : mutants()) {
    if (mutant.several == several) names.push_back({mutant.name, mutant.rule});
  }
  return names;
}

}  // namespace

Report compare_node(const Options& options) { return compare_as<OneNode>(options); }
Report compare_nodes(const Options& options) { return compare_as<SeveralNodes>(options); }
std::vector<MutantName> mutant_names_of_node() { return names_where(false); }
std::vector<MutantName> mutant_names_of_nodes() { return names_where(true); }

}  // namespace lockproof::conformance::redis
