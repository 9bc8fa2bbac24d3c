// SPDX-License-Identifier: Apache-2.0
#include "search/part_searches.hpp"

#include <algorithm>
#include <utility>

#include "harness/report/text/entry_text.hpp"
#include "search/containers/thread_team.hpp"
#include "search/engines/either_engine.hpp"

namespace lockproof::search {
namespace {

constexpr std::uint64_t rounds[] = {50'000, 1'000'000, Limits::none};  // states of one part
constexpr std::uint64_t slower = 20;                                   // the re-execution engine, for each state

std::uint64_t product(std::uint64_t work, std::uint64_t of_each_state) {
  return work > Limits::none / of_each_state ? Limits::none : work * of_each_state;
}

/// How many inputs hosts may have for so many states, if none was kept.
std::uint64_t inputs_of(std::uint64_t work) {
  return product(work, 300);  // some twenty of each state are usual
}

/// "pause 1 s (client)"; with several amounts "pause (client) + flush".
std::string words_of(const harness::Scenario& scenario, const harness::Bounds& bounds) {
  std::string text;
  for (const harness::BudgetedFault& entry : bounds.budget)
    text += (text.empty() ? "" : " + ") + harness::entry_text(scenario, entry);
  return text;
}

}  // namespace

bool has_worked(const sim::Progress& progress, std::uint64_t most, bool reexecutes) {
  if (reexecutes) return progress.states >= std::max<std::uint64_t>(most / slower, 1);
  return progress.states >= most || progress.paths >= paths_of(most) || progress.inputs >= inputs_of(most);
}

std::uint64_t paths_of(std::uint64_t work) {
  return product(work, 10);  // fewer than one of each state is usual
}

PartSearches::PartSearches(const harness::Scenario& scenario, const std::vector<sim::Part>& parts, sim::Limits options,
                           const Limits& limits)
    : scenario_(scenario), parts_(parts), options_(std::move(options)), limits_(limits), searches_(parts.size()),
      equal_(sim::equal_parts(scenario, parts)) {
  for (std::size_t part = 0; part < parts.size(); ++part) searches_[part].ended = equal_[part].has_value();
}

bool shows_enough(const sim::Exploration& found, const MinimalFaults& enough) {
  std::set<sim::ViolationKind> kinds;
  for (const auto& [kind, violation] : found.broken) kinds.insert(kind);
  return enough && !kinds.empty() && enough(kinds);
}

/// Called by several threads.
bool PartSearches::go_on(std::size_t part, const sim::Progress& progress) {
  if (stopped_ || !limits_.go_on) return !stopped_;
  const std::scoped_lock lock(mutex_);
  searches_[part].progress = progress;
  sim::Progress all = progress;
  all.states = all.transitions = all.frontier = all.bytes = all.runs = 0;
  all.parts = parts_.size();
  for (const Search& one : searches_) {
    all.part += one.ended;
    all.states += one.progress.states;
    all.transitions += one.progress.transitions;
    all.frontier += one.ended ? 0 : one.progress.frontier;
    all.runs += one.progress.runs;
  }
  all.probe = {};
  if (!limits_.go_on(all)) stopped_ = true;
  return !stopped_;
}

void PartSearches::search(std::size_t part, std::uint64_t work, unsigned workers) {
  sim::Limits limited = options_;
  limited.workers = workers;
  limited.paths = std::min(limited.paths, paths_of(work));
  bool reexecutes = false, over = false;
  limited.go_on = [&](const sim::Progress& progress) {
    over = has_worked(progress, work, reexecutes);
    return go_on(part, progress) && !over;
  };
  sim::EitherExploration either =
      sim::explore_with_either(scenario_, parts_[part].bounds, limited, [&](const std::string&) { reexecutes = true; });
  const std::scoped_lock lock(mutex_);
  Search& search = searches_[part];
  search.ended = !over || either.found.complete;
  search.begun = true;
  if (either.found.complete || either.found.states >= search.found.states) search.found = std::move(either.found);
  search.why_reexecution = std::move(either.why_reexecution);
}

void PartSearches::run_round(std::uint64_t work) {
  std::vector<std::size_t> open;
  for (std::size_t part = 0; part < searches_.size(); ++part) {
    if (!searches_[part].ended) open.push_back(part);
  }
  const auto is_stopped = [&] { return stopped_ || limits_.stop.stop_requested(); };
  // What is enough is the same with any number of workers if the parts come one after the other.
  if (options_.enough || open.size() < options_.workers) {
    for (const std::size_t part : open) {
      if (is_stopped()) return;
      search(part, work, options_.workers);
      if (shows_enough(searches_[part].found, options_.enough)) stopped_ = true;
    }
    return;
  }
  std::atomic<std::size_t> next = 0;
  sim::ThreadTeam team(static_cast<unsigned>(options_.workers));
  team.run([&](unsigned) {
    for (std::size_t i = next++; i < open.size() && !is_stopped(); i = next++) search(open[i], work, 1);
  });
}

sim::Exploration PartSearches::run(const harness::Bounds& whole, std::vector<PartResult>& into) {
  for (const std::uint64_t work : rounds) {
    run_round(std::min(work, limits_.work));
    if (stopped_ || limits_.stop.stop_requested() || work >= limits_.work) break;
  }
  sim::PartsSum sum(whole);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    sim::Exploration found = searches_[equal_[part].value_or(part)].found;
    if (equal_[part]) found.states = found.transitions = found.terminal = found.bytes = found.timed_states = 0;
    into.push_back({words_of(scenario_, parts_[part].bounds), found.complete, found.states});
    sum.add(parts_[part], std::move(found));
  }
  return sum.take();
}

std::string PartSearches::why_reexecution() const {
  const auto first = std::ranges::find_if(searches_, [](const Search& one) { return !one.why_reexecution.empty(); });
  return first == searches_.end() ? "" : first->why_reexecution;
}

}  // namespace lockproof::search
