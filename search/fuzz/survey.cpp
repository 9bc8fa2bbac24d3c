// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/survey.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "search/fuzz/random.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr int surveys = 16;  // runs, half of them by priorities, which make some runs longer and others shorter

/// Lets no fault strike, and counts the questions.
class CountingChooser final : public Chooser {
 public:
  CountingChooser(const harness::Scenario& scenario, std::uint64_t seed, Habit habit)
      : inner_(scenario, seed, habit, StrikePlan(seed, {})), threads_(scenario) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override {
    ++events;
    for (std::size_t i = 0; i < count; ++i) threads.insert(threads_.of(name(i)));
    return inner_.first_of(count, name);
  }
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override {
    return inner_.duration(window, grid, name);
  }
  std::size_t strike(std::size_t) override {
    ++occasions;
    return 0;
  }
  std::optional<Ask> ask(const AskOffer& offer) override { return inner_.ask(offer); }
  bool asks_at_once(const AskOffer& offer) override { return inner_.asks_at_once(offer); }
  std::uint64_t events = 0, occasions = 0;
  std::set<std::string> threads;

 private:
  SamplingChooser inner_;
  Threads threads_;
};

Survey one_survey(const harness::Scenario& scenario, std::uint64_t seed, Habit habit, const harness::Bounds* budget,
                  ModelFactory& models, const std::stop_token& stop) {
  CountingChooser counting(scenario, seed, habit);
  const Options options{
      .record = false, .record_inputs = false, .token_name = {}, .budget = budget, .models = &models, .stop = stop};
  (void)run(scenario, counting, options);
  return {counting.events, counting.threads.size(), counting.occasions, {}};
}

}  // namespace

Survey survey(const harness::Scenario& scenario, const harness::Bounds* budget, ModelFactory& models,
              const std::stop_token& stop) {
  Survey all;
  for (std::uint64_t seed = 1; seed <= surveys; ++seed) {
    const Habit habit{.ties = seed % 2 ? Habit::Ties::evenly : Habit::Ties::by_thread};
    const Survey one = one_survey(scenario, seed, habit, budget, models, stop);
    all.events = std::max(all.events, one.events);
    all.threads = std::max(all.threads, one.threads);
    all.occasions = std::max(all.occasions, one.occasions);
  }
  for (std::size_t i = 0; budget && i < budget->budget.size(); ++i) {
    harness::Bounds alone = *budget;
    alone.budget = {budget->budget[i]};
    all.occasions_of.push_back(one_survey(scenario, 1, {}, &alone, models, stop).occasions);
  }
  return all;
}

}  // namespace lockproof::sim
