// SPDX-License-Identifier: Apache-2.0
// The places of a budget's faults are drawn before a run, among the events that a few runs without faults had: a coin
// at each event would spend the budget at the first few. Runs are made in generations of a fixed size, and added up in
// the order of their numbers, so the number of workers changes nothing.
#include "search/fuzz/fuzz.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <vector>

#include "search/containers/thread_team.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/coverage.hpp"
#include "search/fuzz/pct.hpp"
#include "search/fuzz/random.hpp"
#include "search/fuzz/swarm.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint64_t generation = 128;  // runs between two evaluations of their results; the answer depends on it

constexpr std::array all_strategies{Strategy::random, Strategy::pct, Strategy::swarm, Strategy::guided};

/// One run, before it is made.
struct Draw {
  std::uint64_t number = 0, seed = 0;
  std::shared_ptr<const Trail> parent{};  // guided
};

struct Outcome {
  bool made = false;                    // else it was stopped before
  std::vector<check::Finding> found{};  // violated or unknown
  std::uint64_t events = 0;
  std::set<std::string> met{}, struck{};
  Trail trail{};
  unsigned broken_premises = 0;
  std::uint64_t threads = 0;
};

Means means_of(const harness::Scenario& scenario, const FuzzOrder& order, const Survey& survey, const Draw& draw) {
  const Strikes strikes = strikes_of(order.budget, survey.occasions);
  Means means;
  switch (order.strategy) {
    case Strategy::random:
      means.chooser = std::make_unique<SamplingChooser>(scenario, draw.seed, Habit{}, StrikePlan(draw.seed, strikes));
      break;
    case Strategy::pct:
      means.chooser = std::make_unique<PctChooser>(scenario, draw.seed, survey, order.depth,
                                                   StrikePlan(mixed(draw.seed, "pct"), strikes));
      break;
    case Strategy::swarm: return swarm(scenario, order.budget, survey, draw.seed);
    case Strategy::guided:
      means.chooser = std::make_unique<MutatingChooser>(scenario, mixed(draw.seed, "guided"), strikes, draw.parent);
      break;
  }
  return means;
}

const harness::Bounds* budget_of(const FuzzOrder& order, const Means& means) {
  return means.some ? &*means.some : order.budget;
}

bool time_passes(const harness::History& history) {
  const auto later = [&](const harness::Event& e) {
    return e.what != harness::What::end && e.at != history.events.front().at;
  };
  return std::ranges::any_of(history.events, later);
}

unsigned broken_premises(const harness::Scenario& scenario, const FuzzOrder& order, const Survey& survey,
                         const PctChooser& chooser, const harness::History& history) {
  unsigned broken = 0;
  if ((order.budget && order.budget->max_faults > 0) || !scenario.faults.empty()) broken |= pct::faults;
  if (time_passes(history)) broken |= pct::timed;
  if (chooser.drew_else()) broken |= pct::drew;
  if (chooser.events() > survey.events) broken |= pct::longer;
  return broken;
}

Outcome make(const harness::Scenario& scenario, const FuzzOrder& order, const Survey& survey, const Draw& draw,
             ModelFactory& models) {
  const Means means = means_of(scenario, order, survey, draw);
  const Options options{.record = true,
                        .record_inputs = false,
                        .token_name = {},
                        .budget = budget_of(order, means),
                        .models = &models,
                        .stop = order.stop};
  const harness::History history = run(scenario, *means.chooser, options);
  Outcome outcome{.made = true, .events = history.events.size()};
  for (check::Finding& finding : check::judge(history, scenario)) {
    if (finding.verdict == check::Verdict::violated || finding.verdict == check::Verdict::unknown) {
      outcome.found.push_back(std::move(finding));
    }
  }
  for (const harness::Event& event : history.events) {
    const bool of_budget = event.what == harness::What::strike && event.fault > std::ssize(scenario.faults);
    if (of_budget) outcome.struck.insert(event.word);
  }
  if (order.cover || order.strategy == Strategy::guided) outcome.met = combinations(history, scenario);
  if (order.strategy == Strategy::guided) {
    outcome.trail = static_cast<const MutatingChooser&>(*means.chooser).trail();
  }
  if (order.strategy == Strategy::pct) {
    const auto& chooser = static_cast<const PctChooser&>(*means.chooser);
    outcome.broken_premises = broken_premises(scenario, order, survey, chooser, history);
    outcome.threads = chooser.threads();
  }
  return outcome;
}

class Fuzzer {
 public:
  Fuzzer(const harness::Scenario& scenario, const FuzzOrder& order)
      : scenario_(scenario), order_(order), team_(std::max(1u, order.workers)),
        seed_(order.strategy == Strategy::guided ? seed_of_guided(order) : order.seed), bits_(mixed(seed_, "parents")) {
    for (unsigned i = 0; i < team_.size(); ++i) models_.push_back(std::make_unique<ModelFactory>());
    survey_ = survey(scenario, order.budget, *models_[0], order.stop);
    result_.threads = survey_.threads;
    result_.k = survey_.events;
  }

  FuzzResult fuzz() {
    const std::uint64_t runs = runs_of(order_.shard, order_.runs);
    for (std::uint64_t from = 0; from < runs && !ended_; from += generation) {
      draw(from, std::min(runs, from + generation));
      outcomes_.assign(draws_.size(), {});
      next_ = 0;
      team_.run([this](unsigned worker) { make_some(worker); });
      for (std::size_t i = 0; i < draws_.size() && !ended_; ++i) {
        outcomes_[i].made ? add(draws_[i], std::move(outcomes_[i])) : void(ended_ = true);
      }
      if (order_.go_on && !order_.go_on(result_.runs)) ended_ = true;
    }
    result_.met = corpus_.met();
    return std::move(result_);
  }

  [[nodiscard]] static std::uint64_t seed_of_guided(const FuzzOrder& order) {
    return order.shard.of == 1 ? order.seed : mixed(order.seed, "shard " + std::to_string(order.shard.part));
  }

 private:
  void draw(std::uint64_t from, std::uint64_t to) {
    draws_.clear();
    for (std::uint64_t i = from; i < to; ++i) {
      const std::uint64_t number = i * order_.shard.of + order_.shard.part - 1;
      draws_.push_back({number, seed_ + number});
      if (order_.strategy == Strategy::guided) draws_.back().parent = corpus_.parent(bits_);
    }
  }

  void make_some(unsigned worker) {
    try {
      for (std::size_t i = next_++; i < draws_.size(); i = next_++) {
        outcomes_[i] = make(scenario_, order_, survey_, draws_[i], *models_[worker]);
      }
    } catch (const Cancellation&) {
      next_ = draws_.size();
    }
  }

  void add(const Draw& draw, Outcome outcome) {
    ++result_.runs;
    result_.fresh += draw.parent == nullptr;
    result_.events += outcome.events;
    result_.broken_premises |= outcome.broken_premises;
    result_.threads = std::max(result_.threads, outcome.threads);
    result_.struck.merge(outcome.struck);
    corpus_.add(outcome.met, std::move(outcome.trail));
    for (check::Finding& finding : outcome.found) {
      const bool violated = finding.verdict == check::Verdict::violated;
      Tally& tally = violated ? result_.violated[{finding.property, finding.kind}] : result_.unknown[finding.property];
      if (++tally.runs == 1) tally = {1, draw.number, std::move(finding), draw.parent};
    }
    if (order_.enough && order_.enough(result_)) ended_ = true;
  }

  const harness::Scenario& scenario_;
  const FuzzOrder& order_;
  ThreadTeam team_;
  const std::uint64_t seed_;
  RandomBits bits_;
  std::vector<std::unique_ptr<ModelFactory>> models_;
  Survey survey_;
  Corpus corpus_;
  std::vector<Draw> draws_;
  std::vector<Outcome> outcomes_;
  std::atomic<std::size_t> next_{0};
  bool ended_ = false;
  FuzzResult result_;
};

Draw drawn_as(const FuzzOrder& order, const Tally& tally) {
  const std::uint64_t seed = order.strategy == Strategy::guided ? Fuzzer::seed_of_guided(order) : order.seed;
  return {tally.first, seed + tally.first, tally.parent};
}

}  // namespace

std::string_view name(Strategy strategy) {
  switch (strategy) {
    case Strategy::random: return "random";
    case Strategy::pct: return "pct";
    case Strategy::swarm: return "swarm";
    case Strategy::guided: return "guided";
  }
  return "?";
}

std::span<const Strategy> strategies() { return all_strategies; }

std::uint64_t runs_of(const Shard& shard, std::uint64_t runs) {
  return runs < shard.part ? 0 : (runs - shard.part) / shard.of + 1;
}

FuzzResult fuzz(const harness::Scenario& scenario, const FuzzOrder& order) {
  try {
    return Fuzzer(scenario, order).fuzz();
  } catch (const Cancellation&) {  // before the first run
    return {};
  }
}

RunRecord write_down(const harness::Scenario& scenario, const FuzzOrder& order, const Tally& tally) {
  ModelFactory models;
  const Survey about = survey(scenario, order.budget, models);
  const Means means = means_of(scenario, order, about, drawn_as(order, tally));
  return write_down(scenario, *means.chooser, budget_of(order, means));
}

harness::Scenario as_scenario(const harness::Scenario& scenario, const FuzzOrder& order, const ViolationKind& way,
                              const Tally& tally) {
  harness::Scenario written = as_written(scenario);
  RunRecord found = write_down(scenario, order, tally);
  written.faults = std::move(found.faults);
  written.steps = std::move(found.steps);
  written.explore.reset();
  written.expect = {};
  written.seed = 1;
  const harness::History history =
      run(written, written.seed, {.record = true, .record_inputs = false, .token_name = {}});
  harness::Expectations& expected = written.expect.run.emplace();
  for (const check::Finding& finding : check::judge(history, written)) {
    if (finding.verdict == check::Verdict::not_found) continue;
    expected.emplace(finding.property, finding.kind.empty() ? std::string(check::name(finding.verdict)) : finding.kind);
  }
  const auto shown = expected.find(way.first);
  const std::string& wanted = way.second.empty() ? std::string(check::name(check::Verdict::violated)) : way.second;
  if (shown == expected.end() || shown->second != wanted) {
    throw std::logic_error("the run that was found does not show " + way.first + " when it is written down");
  }
  return written;
}

}  // namespace lockproof::sim
