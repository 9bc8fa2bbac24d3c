// SPDX-License-Identifier: Apache-2.0
// Answers: what can come of one input, as a tree of what the world asks meanwhile. What is left of the budget only says
// which faults may still be answered; so the tree is the same for every budget, and each way through it is run once.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/explore/state_space/isolated_host.hpp"

namespace lockproof::sim {

class Answers {
 public:
  explicit Answers(const harness::Bounds& bounds) : bounds_(&bounds) { nodes_.emplace_back(); }

  /// What one run was asked, and a number for what came of it.
  struct Run {
    std::vector<Question> asked{};
    std::size_t leaf = 0;
  };
  /// Shows all ways through it for what is left of the budget, in the order of choices: these, as a world with this
  /// budget asks, and what comes of them. `run` runs the world with these choices,
  /// and the first of everything after them; it is called where that has not been seen yet.
  void each(const std::vector<int>& counts, const std::function<Run(const Choices& choices)>& run,
            const std::function<void(const Choices& choices, std::size_t leaf)>& show);

 private:
  struct Node {
    enum class Kind { unknown, leaf, question } kind = Kind::unknown;
    Question question{};
    std::size_t first = 0, answers = 0;  // the nodes after each answer stand in a row
    std::size_t leaf = 0;
  };
  struct Walk {
    Choices choices;
    std::vector<int> counts;
    const std::function<Run(const Choices& choices)>& run;
    const std::function<void(const Choices& choices, std::size_t leaf)>& show;
  };
  void walk(std::size_t at, Walk& walk);
  void answer(std::size_t next, std::size_t choice, Walk& walk);
  void graft(const Run& run);
  [[nodiscard]] bool is_left(const Budget::Offer& offer, const std::vector<int>& counts) const;

  const harness::Bounds* bounds_;
  std::vector<Node> nodes_;
};

}  // namespace lockproof::sim
