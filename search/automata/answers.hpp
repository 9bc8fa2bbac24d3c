// SPDX-License-Identifier: Apache-2.0
// Answers: the possible outcomes of each input of a host, as a tree of the world's questions. The rest of the budget
// only decides which faults can still be answered; so the tree is the same for every budget, and each path through it
// is run once. There are millions of nodes, so that one is two numbers, and equal questions are kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "search/automata/isolated_host.hpp"

namespace lockproof::sim {

class Answers {
 public:
  /// The number of a tree.
  using Tree = std::uint32_t;

  /// The bounds must outlive it.
  explicit Answers(const harness::Bounds& bounds) : bounds_(bounds) {}

  /// A tree of which nothing is known yet.
  [[nodiscard]] Tree add();
  /// Makes it a tree of which nothing is known.
  void forget(Tree tree) { nodes_[tree] = {}; }

  /// The questions of one run with their answers, and a number for its outcome.
  struct Run {
    std::vector<Question> asked{};
    std::uint32_t leaf = 0;
  };
  /// Calls the visitor with all paths through the tree that the rest of the budget allows, in the order of choices: the
  /// answers to all questions of the path, where one about the budget is 0 for none, or one more than the place in
  /// `Question::offers`, also if nothing of it is left; and their outcome. `run` runs the world with these choices, as
  /// a world with this budget asks, and the first option of everything after them; it is called for paths that were not
  /// taken before.
  void each(Tree tree, const std::vector<int>& counts, const std::function<Run(const Choices& choices)>& run,
            const std::function<void(const Choices& answers, std::uint32_t leaf)>& show);

 private:
  using NodeId = std::uint32_t;
  /// The nodes after each answer are contiguous.
  struct Node {
    static constexpr std::uint32_t unknown = UINT32_MAX, leaf = UINT32_MAX - 1;
    std::uint32_t question = unknown;  // its number, or that this is something else
    std::uint32_t at = 0;              // the first node after it; of a leaf: the number of the outcome
  };
  /// What is asked, without what was answered.
  struct Prompt {
    bool strike = false;
    std::size_t options = 0;
    std::vector<Budget::Offer> offers{};
    auto operator<=>(const Prompt&) const = default;
    [[nodiscard]] std::size_t answers() const { return strike ? offers.size() + 1 : options; }
  };
  struct Walk {
    Choices choices, answers;
    std::vector<int> counts;
    const std::function<Run(const Choices& choices)>& run;
    const std::function<void(const Choices& answers, std::uint32_t leaf)>& show;
  };
  NodeId add_nodes(std::size_t count);
  [[nodiscard]] std::uint32_t number_of(const Question& question);
  void walk(NodeId root, NodeId at, Walk& walk);
  void answer(NodeId root, NodeId next, std::size_t answer, std::size_t choice, Walk& walk);
  void graft(NodeId root, const Run& run);
  [[nodiscard]] bool is_left(const Budget::Offer& offer, const std::vector<int>& counts) const;

  const harness::Bounds& bounds_;
  std::deque<Node> nodes_;  // of all trees; the number of a tree is that of its root
  std::map<Prompt, std::uint32_t> numbers_;
  std::vector<const Prompt*> questions_;  // by these numbers
};

}  // namespace lockproof::sim
