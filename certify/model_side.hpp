// SPDX-License-Identifier: Apache-2.0
// ModelSide: runs steps on the simulated node. A planted difference, if one is given, makes it wrong on purpose.
#pragma once

#include "certify/plants.hpp"
#include "certify/step.hpp"
#include "sim/redis/node.hpp"

namespace lockproof::certify {

class ModelSide final : public Pinned {
 public:
  explicit ModelSide(const Plant* plant = nullptr) : plant_(plant) { reset(); }

  /// Everything as at the beginning.
  void reset();
  /// Adds to the outcome what this step brings.
  void run(const Step& step, Outcome& outcome);

  [[nodiscard]] const sim::redis::NodeState& state() const { return node_->state(); }
  [[nodiscard]] std::int64_t now_us() const { return now_us_; }
  [[nodiscard]] bool in_multi(int connection) const;
  [[nodiscard]] bool subscribed(int connection) const { return state().sessions.subscribed(connection); }
  /// Whether a step since the reset asked for what is not modelled: a subscription inside a transaction.
  [[nodiscard]] bool left_the_model() const { return left_the_model_; }

 private:
  void run_command(const Step& step, Outcome& outcome);

  const Plant* plant_;
  sim::redis::ScriptEngine engine_;
  std::unique_ptr<sim::redis::Node> node_;
  std::int64_t now_us_ = 0;
  bool left_the_model_ = false;
};

}  // namespace lockproof::certify
