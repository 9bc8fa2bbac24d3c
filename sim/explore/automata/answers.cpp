// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/automata/answers.hpp"

#include <numeric>
#include <stdexcept>

namespace lockproof::sim {

void Answers::each(const std::vector<int>& counts, const std::function<Run(const Choices& choices)>& run,
                   const std::function<void(const Choices& answers, std::size_t leaf)>& show) {
  Walk all{{}, {}, counts, run, show};
  walk(0, all);
}

bool Answers::is_left(const Budget::Offer& offer, const std::vector<int>& counts) const {
  return std::accumulate(counts.begin(), counts.end(), 0) < bounds_->max_faults &&
         counts[offer.entry] < bounds_->budget[offer.entry].most;
}

void Answers::walk(std::size_t at, Walk& walk) {
  if (nodes_[at].kind == Node::Kind::unknown) graft(walk.run(walk.choices));
  if (nodes_[at].kind == Node::Kind::leaf) return walk.show(walk.answers, nodes_[at].leaf);
  const Node node = nodes_[at];  // a copy: the tree grows meanwhile
  if (node.kind == Node::Kind::unknown)
    throw std::logic_error("not deterministic: a host that was run again asked another question (hidden state?)");
  if (!node.question.strike) {
    for (std::size_t i = 0; i < node.answers; ++i) answer(node, i, i, walk);
    return;
  }
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < node.question.offers.size(); ++i) {
    if (is_left(node.question.offers[i], walk.counts)) left.push_back(i);
  }
  if (left.empty()) {  // then a world does not ask
    walk.answers.push_back(0);
    this->walk(node.first, walk);
    walk.answers.pop_back();
    return;
  }
  answer(node, 0, 0, walk);
  for (std::size_t i = 0; i < left.size(); ++i) {
    int& used = walk.counts[node.question.offers[left[i]].entry];
    ++used;
    answer(node, left[i] + 1, i + 1, walk);
    --used;
  }
}

/// `choice`: the answer as a world with what is left of the budget counts it.
void Answers::answer(const Node& node, std::size_t answer, std::size_t choice, Walk& walk) {
  walk.choices.push_back(static_cast<std::uint16_t>(choice));
  walk.answers.push_back(static_cast<std::uint16_t>(answer));
  this->walk(node.first + answer, walk);
  walk.answers.pop_back();
  walk.choices.pop_back();
}

void Answers::graft(const Run& run) {
  std::size_t at = 0;
  for (const Question& question : run.asked) {
    const std::size_t answers = question.strike ? question.offers.size() + 1 : question.options;
    if (nodes_[at].kind == Node::Kind::unknown) {
      nodes_[at].kind = Node::Kind::question;
      nodes_[at].question = question;
      nodes_[at].first = nodes_.size();
      nodes_[at].answers = answers;
      nodes_.resize(nodes_.size() + answers);
    }
    const Node& node = nodes_[at];
    if (node.kind != Node::Kind::question || node.answers != answers || node.question.offers != question.offers)
      throw std::logic_error("not deterministic: a host that was run again asked another question (hidden state?)");
    at = node.first + question.answer;
  }
  nodes_[at].kind = Node::Kind::leaf;
  nodes_[at].leaf = run.leaf;
}

}  // namespace lockproof::sim
