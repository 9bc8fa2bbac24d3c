// SPDX-License-Identifier: Apache-2.0
// Answers: the possible outcomes of one input, as a tree of the world's questions. The rest of the budget only decides
// which faults can still be answered; so the tree is the same for every budget, and each path through it is run once.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/explore/automata/isolated_host.hpp"

namespace lockproof::sim {

class Answers {
 public:
  explicit Answers(const harness::Bounds& bounds) : bounds_(&bounds) { nodes_.emplace_back(); }

  /// The questions of one run with their answers, and a number for its outcome.
  struct Run {
    std::vector<Question> asked{};
    std::size_t leaf = 0;
  };
  /// Calls the visitor with all paths through the tree that the rest of the budget allows, in the order of choices: the
  /// answers to all questions of the path, where one about the budget is 0 for none, or one more than the place in
  /// `Question::offers`, also if nothing of it is left; and their outcome. `run` runs the world with these choices, as
  /// a world with this budget asks, and the first option of everything after them; it is called for paths that were not
  /// taken before.
  void each(const std::vector<int>& counts, const std::function<Run(const Choices& choices)>& run,
            const std::function<void(const Choices& answers, std::size_t leaf)>& show);

 private:
  struct Node {
    enum class Kind { unknown, leaf, question } kind = Kind::unknown;
    Question question{};
    std::size_t first = 0, answers = 0;  // the nodes after each answer are contiguous
    std::size_t leaf = 0;
  };
  struct Walk {
    Choices choices, answers;
    std::vector<int> counts;
    const std::function<Run(const Choices& choices)>& run;
    const std::function<void(const Choices& answers, std::size_t leaf)>& show;
  };
  void walk(std::size_t at, Walk& walk);
  void answer(const Node& node, std::size_t answer, std::size_t choice, Walk& walk);
  void graft(const Run& run);
  [[nodiscard]] bool is_left(const Budget::Offer& offer, const std::vector<int>& counts) const;

  const harness::Bounds* bounds_;
  std::vector<Node> nodes_;
};

}  // namespace lockproof::sim
