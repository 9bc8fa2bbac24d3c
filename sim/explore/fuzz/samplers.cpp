// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/fuzz/samplers.hpp"

#include <algorithm>

#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr int surveys = 16;  // runs, every other one by priorities, which make some runs longer and others shorter

/// Without faults, and counts what it is asked.
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
                  redis::ScriptEngine& scripts) {
  CountingChooser counting(scenario, seed, habit);
  const Options options{
      .record = false, .record_inputs = false, .token_name = {}, .budget = budget, .scripts = &scripts};
  (void)run(scenario, counting, options);
  return {counting.events, counting.threads.size(), counting.occasions, {}};
}

Duration nth(const harness::Window& window, Duration grid, std::uint64_t n) {
  return window.least + grid * static_cast<std::int64_t>(n);
}

std::uint64_t steps_of(const harness::Window& window, Duration grid) {
  return static_cast<std::uint64_t>((window.most - window.least) / grid);
}

}  // namespace

Survey survey(const harness::Scenario& scenario, const harness::Bounds* budget, redis::ScriptEngine& scripts) {
  Survey all;
  for (std::uint64_t seed = 1; seed <= surveys; ++seed) {
    const Habit habit{.ties = seed % 2 ? Habit::Ties::evenly : Habit::Ties::by_thread};
    const Survey one = one_survey(scenario, seed, habit, budget, scripts);
    all.events = std::max(all.events, one.events);
    all.threads = std::max(all.threads, one.threads);
    all.occasions = std::max(all.occasions, one.occasions);
  }
  for (std::size_t i = 0; budget && i < budget->budget.size(); ++i) {
    harness::Bounds alone = *budget;
    alone.budget = {budget->budget[i]};
    all.occasions_of.push_back(one_survey(scenario, 1, {}, &alone, scripts).occasions);
  }
  return all;
}

std::string Threads::of(const harness::EventName& event) const {
  using Kind = harness::EventName::Kind;
  if (event.kind == Kind::fault || event.kind == Kind::heal) return "fault";
  if (event.kind != Kind::message) return event.actor;
  const bool answer = std::ranges::find(clients_, event.peer) != clients_.end();
  const bool request = std::ranges::find(clients_, event.actor) != clients_.end();
  return answer || !request ? event.peer : event.actor;
}

Strikes strikes_of(const harness::Bounds* budget, std::uint64_t occasions) {
  if (!budget || budget->budget.empty()) return {};
  const auto at_start = std::ranges::count_if(budget->budget, [](const harness::BudgetedFault& entry) {
    return entry.kind == harness::FaultKind::clock_rate && entry.forms.front().lasts == Duration{};
  });
  return {budget->max_faults, std::max<std::uint64_t>(occasions, 1), budget->budget.size(),
          static_cast<std::uint64_t>(at_start)};
}

StrikePlan::StrikePlan(std::uint64_t seed, const Strikes& strikes) : bits_(mixed(seed, "strikes")) {
  constexpr std::uint64_t one_in_none = 8, one_in_later = 4, latest = std::uint64_t{1} << 40;
  if (strikes.most == 0 || bits_.below(one_in_none) == 0) return;
  for (auto left = 1 + bits_.below(static_cast<std::uint64_t>(strikes.most)); left > 0; --left) {
    std::uint64_t until = strikes.occasions;
    while (until < latest && bits_.below(one_in_later) == 0) until *= 2;
    const std::uint64_t at = bits_.below(until);
    at_.insert(bits_.below(strikes.kinds) < strikes.at_start ? 0 : at);
  }
}

std::size_t StrikePlan::strike(std::size_t count) {
  const bool strikes = at_.erase(asked_++) > 0;
  return strikes ? 1 + static_cast<std::size_t>(bits_.below(count)) : 0;
}

std::optional<Ask> drawn_ask(RandomBits& bits, const AskOffer& offer) {
  constexpr std::uint64_t one_in = 8;
  if (bits.below(one_in) != 0) return std::nullopt;
  const std::vector<Duration> instants = offer.instants();
  if (instants.empty()) return std::nullopt;
  return Ask{bits.below(offer.clients.size()), instants[bits.below(instants.size())]};
}

std::size_t SamplingChooser::first_of(std::size_t count, const NameOf& name) {
  if (count == 1) return 0;
  std::size_t best = 0;
  switch (habit_.ties) {
    case Habit::Ties::evenly: return static_cast<std::size_t>(bits_.below(count));
    case Habit::Ties::first: return 0;
    case Habit::Ties::last: return count - 1;
    case Habit::Ties::by_thread: break;
  }
  std::vector<std::uint64_t> priorities;
  for (std::size_t i = 0; i < count; ++i) priorities.push_back(mixed(seed_, threads_.of(name(i))));
  for (std::size_t i = 1; i < count; ++i) {
    if (priorities[i] > priorities[best]) best = i;
  }
  return best;
}

Duration SamplingChooser::duration(const harness::Window& window, Duration grid, const NameOf&) {
  const std::uint64_t most = steps_of(window, grid);
  switch (habit_.durations) {
    case Habit::Durations::evenly: break;
    case Habit::Durations::ends: return nth(window, grid, bits_.below(2) * most);
    case Habit::Durations::least: return window.least;
  }
  return nth(window, grid, bits_.below(most + 1));
}

PctChooser::PctChooser(const harness::Scenario& scenario, std::uint64_t seed, const Survey& survey, int depth,
                       StrikePlan plan)
    : threads_(scenario), seed_(seed), bits_(mixed(seed, "pct")), plan_(std::move(plan)), by_rank_(bits_.below(2)) {
  for (int level = depth - 1; level > 0; --level) {
    changes_[1 + bits_.below(survey.events)] = static_cast<std::uint64_t>(level);
  }
}

/// Those drawn at the start are above all that a change gives.
std::uint64_t& PctChooser::priority(const std::string& thread) {
  const auto found = priorities_.find(thread);
  if (found != priorities_.end()) return found->second;
  return priorities_[thread] = mixed(seed_, thread) | (std::uint64_t{1} << 63);
}

std::size_t PctChooser::highest(std::size_t count, const NameOf& name) {
  std::vector<std::size_t> best;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t here = priority(threads_.of(name(i)));
    if (here > most) most = here, best.clear();
    if (here == most) best.push_back(i);
  }
  if (best.size() == 1) return best.front();
  drew_else_ = true;
  return best[static_cast<std::size_t>(bits_.below(best.size()))];
}

std::size_t PctChooser::first_of(std::size_t count, const NameOf& name) {
  ++event_;
  const std::size_t chosen = highest(count, name);
  const auto change = changes_.find(event_);
  if (change == changes_.end()) return chosen;
  priority(threads_.of(name(chosen))) = change->second;
  return highest(count, name);
}

Duration PctChooser::duration(const harness::Window& window, Duration grid, const NameOf& name) {
  drew_else_ = true;
  const std::uint64_t most = steps_of(window, grid);
  const std::uint64_t own = priority(threads_.of(name(0)));
  const std::uint64_t others = priorities_.size() - 1;
  if (!by_rank_ || others == 0) return nth(window, grid, bits_.below(most + 1));
  const auto above = static_cast<std::uint64_t>(
      std::ranges::count_if(priorities_, [&](const auto& thread) { return thread.second > own; }));
  return nth(window, grid, most / others * above + most % others * above / others);
}

std::uint64_t mixed(std::uint64_t seed, std::string_view name) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  RandomBits bits(seed);
  return RandomBits(bits.next() ^ sum).next();
}

}  // namespace lockproof::sim
