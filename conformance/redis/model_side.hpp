// SPDX-License-Identifier: Apache-2.0
// ModelSide: runs steps on a simulated node. Where it is the only one, it has one replica, which is connected and never
// acknowledges anything. A mutant, if given, replaces one of its rules.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/redis/mutants.hpp"
#include "conformance/redis/step.hpp"
#include "sim/services/redis/node.hpp"

namespace lockproof::conformance::redis {

class ModelSide final : public PinnedObject {
 public:
  explicit ModelSide(const Mutant* mutant = nullptr, int replicas = 1) : mutant_(mutant), replicas_(replicas) {
    reset();
  }

  /// Restores the initial state.
  void reset();
  /// Runs the step and adds its results to the outcome.
  void run(const Step& step, Outcome& outcome);
  /// Records the effects of something that no client asked for.
  void took(sim::NodeAnswer executed, Outcome& outcome) { note(std::move(executed), outcome); }
  /// The commands for replicas since the last call.
  [[nodiscard]] std::vector<Command> take_propagated() { return std::exchange(propagated_, {}); }

  [[nodiscard]] sim::redis::Node& node() { return *node_; }
  void set_clock(std::int64_t us) { now_us_ = us; }
  [[nodiscard]] const sim::redis::NodeState& state() const { return node_->state(); }
  [[nodiscard]] std::int64_t now_us() const { return now_us_; }
  [[nodiscard]] bool in_multi(int connection) const;
  [[nodiscard]] bool subscribed(int connection) const { return state().sessions.subscribed(connection); }
  /// The stamp after which held commands are answered; nothing: all commands are answered and the node is not paused.
  [[nodiscard]] std::optional<std::int64_t> held_until() const;
  [[nodiscard]] bool paused() const { return state().pause && state().pause->end_ms >= now_us_ / 1000; }
  /// Whether some commands have not run yet, so that their effects are unknown.
  [[nodiscard]] bool holds() const { return !held_.empty(); }
  /// Whether a step since the reset used something that is not modelled: a subscription or a pause inside a
  /// transaction, a wait without an end.
  [[nodiscard]] bool left_the_model() const { return left_the_model_; }

 private:
  void run_command(const Step& step, Outcome& outcome);
  void go_on(Outcome& outcome);
  void note(sim::NodeAnswer executed, Outcome& outcome);

  static constexpr int nobody = -1;
  const Mutant* mutant_;
  const int replicas_;
  sim::redis::ScriptEngine engine_;
  std::unique_ptr<sim::redis::Node> node_;
  std::int64_t now_us_ = 0;
  std::deque<Step> held_;  // commands behind one that is not answered yet; includes that one if it is postponed
  std::vector<Command> propagated_;
  bool left_the_model_ = false;
};

}  // namespace lockproof::conformance::redis
