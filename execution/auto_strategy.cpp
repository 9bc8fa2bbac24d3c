// SPDX-License-Identifier: Apache-2.0
#include "execution/auto_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/search.hpp"

namespace lockproof::execution {
namespace {

// What each engine searches in some seconds: the stateful one has a hundred times the rate. Where the estimate is far
// beyond it, there is no use in searching so much.
constexpr std::uint64_t stateful_most = 500'000, reexecution_most = 30'000, first_look = search::few_states, far = 20;
constexpr std::uint64_t paths_most = 100'000;  // some seconds: each runs the code of a host

/// "1 000 000", "12 789"
std::string spaced(std::uint64_t n) {
  if (n >= 1'000'000) return fmt::format("{} {:03} {:03}", n / 1'000'000, n / 1000 % 1000, n % 1000);
  return n >= 1000 ? fmt::format("{} {:03}", n / 1000, n % 1000) : std::to_string(n);
}

/// An estimate of the number of all states, which assumes that random schedules visit all of them equally often.
std::uint64_t estimate(std::uint64_t states, const sim::CoverageEstimate& probed) {
  return states * probed.met / std::max<std::uint64_t>(probed.visited, 1);
}

/// As exact as it is: where the search stopped, and so what it met, varies a little with the workers.
std::uint64_t two_digits(std::uint64_t n) {
  std::uint64_t unit = 1;
  while (n / unit >= 100) unit *= 10;
  return n / unit * unit;
}

std::string size_text(const sim::Exploration& found) {
  if (!found.probed || found.probed->met == 0) return "";
  const std::uint64_t all = two_digits(estimate(found.states / 1000 * 1000, *found.probed));
  return fmt::format("of the states that random schedules met, the first {} were {:.2g} %, so there may be {}",
                     spaced(found.states / 1000 * 1000),
                     static_cast<double>(found.probed->visited) * 100 / static_cast<double>(found.probed->met),
                     all >= 10'000'000 ? fmt::format("{} million", all / 1'000'000) : spaced(all));
}

}  // namespace

Choice choose(const Subject& subject, const std::stop_token& stop) {
  search::Question question;
  question.scenario = subject.scenario;
  question.bounds = subject.bounds;
  question.alone = subject.alone;
  question.exchanges = question.written_first = question.in_parts = false;
  question.estimates = true;
  const bool stateful = search::why_reexecution(question).empty();
  const std::uint64_t most = stateful ? stateful_most : reexecution_most;
  search::Limits limits;
  limits.workers = subject.workers;
  limits.paths = paths_most;
  limits.stop = limits.stop_telling = stop;
  std::uint64_t next_look = first_look;
  limits.go_on = [&](const sim::Progress& progress) {
    if (progress.states >= most) return false;
    if (progress.states < next_look || !progress.probe) return true;
    next_look = progress.states * 2;
    const auto probed = progress.probe();
    return !probed || estimate(progress.states, *probed) < most * far;
  };
  const sim::Exploration found = search::answer(question, limits).found;
  if (found.complete) {
    return {true, fmt::format("auto explores: the whole space is {} states", spaced(found.states))};
  }
  if (stop.stop_requested()) {
    return {false, fmt::format("auto fuzzes ({}), since half of the time was not enough to search the space",
                               name(subject.strategy))};
  }
  if (found.states < most && !found.probed) {
    return {false, fmt::format("auto fuzzes ({}), since the space is too large: after {} runs of a host's code "
                               "{} states were known",
                               name(subject.strategy), spaced(paths_most), spaced(found.states))};
  }
  const std::string size = size_text(found);
  return {false, fmt::format("auto fuzzes ({}), since the space is more than the {} states that it would search{}{}",
                             name(subject.strategy), spaced(most),
                             stateful ? "" : " with the slow engine, which this scenario needs",
                             size.empty() ? "" : ":\n  " + size)};
}

}  // namespace lockproof::execution
