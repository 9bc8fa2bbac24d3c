// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/nodes_sides.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::conformance::redis {
namespace {

/// The end of a run of commands over one connection of one node.
std::size_t end_of_nodes_run(const Steps& steps, std::size_t begin) {
  std::size_t end = begin + 1;
  if (steps[begin].kind != Step::Kind::command) return end;
  while (end < steps.size() && steps[end].kind == Step::Kind::command && steps[end].node == steps[begin].node &&
         steps[end].connection == steps[begin].connection) {
    ++end;
  }
  return end;
}

}  // namespace

void NodesSides::reset() {
  model.reset();
  real.reset();
}

std::optional<Mismatch> NodesSides::rerun(const Steps& steps) {
  reset();
  for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
    end = end_of_nodes_run(steps, begin);
    if (!model.possible(steps[begin])) continue;
    Steps run;
    Outcome simulated;
    for (std::size_t i = begin; i < end; ++i) {
      run.push_back(model.as_far_as_possible(steps[i]));
      model.run(run.back(), simulated);
    }
    if (model.at(steps[begin].node).side.left_the_model()) return std::nullopt;
    if (auto mismatch = Sides::compare(run, simulated, real.run(run))) {
      mismatch->steps += begin;
      return mismatch;
    }
  }
  return std::nullopt;
}

}  // namespace lockproof::conformance::redis
