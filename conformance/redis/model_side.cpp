// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/model_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {

void ModelSide::reset() {
  node_ = std::make_unique<sim::redis::Node>(engine_);
  for (int i = 0; i < replicas_; ++i) node_->follow(i);
  held_.clear();
  propagated_.clear();
  now_us_ = epoch_ms * 1000;
  left_the_model_ = false;
}

bool ModelSide::in_multi(int connection) const {
  const auto found = state().sessions.all().find(connection);
  return found != state().sessions.all().end() && found->second.multi;
}

void ModelSide::run(const Step& step, Outcome& outcome) {
  switch (step.kind) {
    case Step::Kind::clock: now_us_ = step.clock_us; return go_on(outcome);
    case Step::Kind::min_replicas: return node_->set_min_replicas(step.min_replicas);
    case Step::Kind::reconnect: node_->disconnected(step.connection); return;
    case Step::Kind::command:
      if (!held_.empty() || !state().waits.open().empty()) {
        held_.push_back(step);
      } else {
        run_command(step, outcome);
      }
      return;
    default: return;  // for several nodes
  }
}

/// The clock has moved: waits and pauses may be over.
void ModelSide::go_on(Outcome& outcome) {
  for (auto& ended : node_->take_ended(now_us_ / 1000)) outcome.replies.push_back(std::move(ended.reply));
  std::deque<Step> held = std::exchange(held_, {});
  for (; !held.empty(); held.pop_front()) run(held.front(), outcome);
}

std::optional<std::int64_t> ModelSide::held_until() const {
  return paused() || !held_.empty() || !state().waits.open().empty() ? node_->waits_until() : std::nullopt;
}

void ModelSide::run_command(const Step& step, Outcome& outcome) {
  const bool talks =
      sim::redis::is_word(step.words[0], "SUBSCRIBE") || sim::redis::is_word(step.words[0], "UNSUBSCRIBE");
  const bool pauses = step.words.size() > 1 && sim::redis::is_word(step.words[0], "CLIENT") &&
                      sim::redis::is_word(step.words[1], "PAUSE");
  if ((talks || pauses) && in_multi(step.connection)) left_the_model_ = true;
  const IncomingCommand asked{step.connection, Command(step.words), now_us_ / 1000};
  sim::NodeAnswer executed = mutant_ && mutant_->run
                                 ? mutant_->run(*node_, asked)
                                 : node_->execute({asked.connection, asked.command, {asked.now_ms}});
  if (executed.postponed) return held_.push_back(step);
  if (executed.waits) {
    left_the_model_ = left_the_model_ || !node_->waits_until();
    return;
  }
  std::vector<Reply> own{executed.reply};
  std::ranges::move(executed.further, std::back_inserter(own));
  note(std::move(executed), outcome);
  outcome.replies.push_back(own.size() == 1 ? std::move(own.front()) : Reply::array(std::move(own)));
}

void ModelSide::note(sim::NodeAnswer executed, Outcome& outcome) {
  for (sim::Push& push : executed.pushes) {
    outcome.messages[static_cast<std::size_t>(push.connection)].push_back(std::move(push.message));
  }
  for (const auto& effect : executed.effects) {
    if (effect.event != "flushed") outcome.effects.push_back(fmt::format("{} {}", effect.event, effect.key));
  }
  for (Command& command : executed.propagated) {
    outcome.propagated.push_back(conformance::shown(command.args()));
    propagated_.push_back(std::move(command));
  }
}

}  // namespace lockproof::conformance::redis
