// SPDX-License-Identifier: Apache-2.0
#include "search/automata/answers.hpp"

#include <numeric>
#include <stdexcept>

#include "search/automata/unrepresentable.hpp"

namespace lockproof::sim {

Answers::NodeId Answers::add_nodes(std::size_t count) {
  const std::size_t first = nodes_.size();
  if (first + count >= Node::leaf) throw UnrepresentableState("there are more questions than numbers for them");
  nodes_.resize(first + count);
  return static_cast<NodeId>(first);
}

Answers::Tree Answers::add() { return add_nodes(1); }

std::uint32_t Answers::number_of(const Question& question) {
  const auto next = static_cast<std::uint32_t>(questions_.size());
  const auto [known, is_new] = numbers_.try_emplace({question.strike, question.options, question.offers}, next);
  if (is_new) questions_.push_back(&known->first);
  return known->second;
}

void Answers::each(Tree tree, const std::vector<int>& counts, const std::function<Run(const Choices& choices)>& run,
                   const std::function<void(const Choices& answers, std::uint32_t leaf)>& show) {
  Walk all{{}, {}, counts, run, show};
  walk(tree, tree, all);
}

bool Answers::is_left(const Budget::Offer& offer, const std::vector<int>& counts) const {
  return std::accumulate(counts.begin(), counts.end(), 0) < bounds_.max_faults &&
         bounds_.left_of(offer.entry, counts) > 0;
}

void Answers::walk(NodeId root, NodeId at, Walk& walk) {
  if (nodes_[at].question == Node::unknown) graft(root, walk.run(walk.choices));
  const Node node = nodes_[at];
  if (node.question == Node::leaf) return walk.show(walk.answers, node.at);
  if (node.question == Node::unknown)
    throw std::logic_error("not deterministic: a host that was run again asked another question (hidden state?)");
  const Prompt& asked = *questions_[node.question];
  if (!asked.strike) {
    for (std::size_t i = 0; i < asked.answers(); ++i) answer(root, node.at, i, i, walk);
    return;
  }
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < asked.offers.size(); ++i) {
    if (is_left(asked.offers[i], walk.counts)) left.push_back(i);
  }
  if (left.empty()) {  // then a world does not ask
    walk.answers.push_back(0);
    this->walk(root, node.at, walk);
    walk.answers.pop_back();
    return;
  }
  answer(root, node.at, 0, 0, walk);
  for (std::size_t i = 0; i < left.size(); ++i) {
    int& used = walk.counts[asked.offers[left[i]].entry];
    ++used;
    answer(root, node.at, left[i] + 1, i + 1, walk);
    --used;
  }
}

/// `next`: the first of the nodes after the question. `choice`: the answer as a world with what is left of the budget
/// counts it.
void Answers::answer(NodeId root, NodeId next, std::size_t answer, std::size_t choice, Walk& walk) {
  walk.choices.push_back(static_cast<std::uint16_t>(choice));
  walk.answers.push_back(static_cast<std::uint16_t>(answer));
  this->walk(root, next + static_cast<NodeId>(answer), walk);
  walk.answers.pop_back();
  walk.choices.pop_back();
}

void Answers::graft(NodeId root, const Run& run) {
  NodeId at = root;
  for (const Question& question : run.asked) {
    const std::uint32_t number = number_of(question);
    if (nodes_[at].question == Node::unknown) nodes_[at] = {number, add_nodes(questions_[number]->answers())};
    if (nodes_[at].question != number)
      throw std::logic_error("not deterministic: a host that was run again asked another question (hidden state?)");
    at = nodes_[at].at + static_cast<NodeId>(question.answer);
  }
  nodes_[at] = {Node::leaf, run.leaf};
}

}  // namespace lockproof::sim
