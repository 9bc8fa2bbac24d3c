// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/compare_inputs.hpp"

#include <filesystem>

#include "cli/options/scenario_files.hpp"
#include "execution/compare/best_lock.hpp"
#include "execution/frontier/frontier_questions.hpp"
#include "harness/input_error.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"

namespace lockproof::cli {
namespace {

using execution::ComparedSide;
using execution::QuestionPair;

bool is_best(const std::string& word) { return word == "best" && !std::filesystem::exists(word); }

ComparedSide side_of(const std::string& word, const std::string& scenario, const harness::AlgorithmRef& lock,
                     const Arguments& arguments) {
  ComparedSide side{word, scenario_from_file(scenario, lock)};
  if (side.scenario.program) put_in_virtual_time(side.scenario, arguments);
  return side;
}

void choose_bounds(QuestionPair& question, const Arguments& arguments) {
  if (arguments.budget.empty()) {
    execution::choose_bounds(question);
  } else {
    execution::choose_bounds(question, arguments.budget);
  }
}

/// The lock of the catalogue that does best what the first one does.
harness::AlgorithmRef best_for(const Arguments& arguments, const std::string& file, const harness::AlgorithmRef& lock,
                               ExploreWatch& watch) {
  execution::ReviewOrder order{.workers = workers_of(arguments)};
  order.limits.stop = order.limits.stop_telling = watch.guard().stop();
  order.tell = [&](std::uint64_t done, std::uint64_t all, const std::string& what) {
    watch.line().show(done, all, what);
  };
  if (lock) {
    const execution::FrontierQuestion usual = execution::frontier_questions(*lock, 1, "").front();
    return execution::best_lock(usual.scenario, usual.bounds, order);
  }
  QuestionPair question{"", side_of(file, file, {}, arguments), side_of(file, file, {}, arguments), ""};
  choose_bounds(question, arguments);
  return execution::best_lock(question.a.scenario, question.a.bounds, order);
}

}  // namespace

std::vector<QuestionPair> question_pairs_of(const Arguments& arguments, const std::string& a, const std::string& b,
                                            ExploreWatch& watch) {
  const harness::AlgorithmRef lock_a = harness::algorithm_from(a);
  const bool is_ranked = is_best(b);
  const harness::AlgorithmRef lock_b = is_ranked ? best_for(arguments, a, lock_a, watch) : harness::algorithm_from(b);
  const std::string called_b = is_ranked ? "best of the catalogue" : b;
  std::vector<QuestionPair> questions;
  if (lock_a && lock_b) {
    if (!arguments.budget.empty())
      throw harness::InputError("--budget", 0, "is for a scenario's file; an algorithm has a budget of its own");
    questions = execution::question_pairs(lock_a, lock_b);
    for (QuestionPair& question : questions) question.b.called = called_b;
  } else {
    QuestionPair question{"", side_of(a, lock_a ? b : a, lock_a, arguments),
                          side_of(called_b, lock_b ? a : b, lock_b, arguments), ""};
    choose_bounds(question, arguments);
    questions.push_back(std::move(question));
  }
  for (QuestionPair& question : questions) {
    if (!arguments.max_faults) continue;
    question.a.bounds.max_faults = question.b.bounds.max_faults = *arguments.max_faults;
  }
  return questions;
}

}  // namespace lockproof::cli
