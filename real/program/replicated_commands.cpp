// SPDX-License-Identifier: Apache-2.0
#include "real/program/replicated_commands.hpp"

#include <algorithm>
#include <string>

namespace lockproof::real {

using harness::Change;
using harness::Effect;

namespace {

bool removes(const Effect& effect) {
  return effect.change == Change::released || effect.change == Change::expired || effect.change == Change::evicted;
}

}  // namespace

void ReplicatedCommands::add(const Command& command, harness::HostIndex client, const std::vector<Effect>& effects) {
  ++commands_;
  for (const Effect& effect : effects) {
    if (effect.change == Change::expired || effect.change == Change::evicted) continue;
    waiting_.push_back({effect, command, client, commands_});
  }
}

/// A removal that is not the next one of its key's changes is the master's own.
std::deque<ReplicatedCommands::PendingEffect>::iterator ReplicatedCommands::next_of(const Effect& effect) {
  const auto next = [&] {
    return std::ranges::find(waiting_, effect.key, [](const PendingEffect& w) { return w.effect.key; });
  };
  auto found = next();
  if (removes(effect)) return found != waiting_.end() && removes(found->effect) ? found : waiting_.end();
  while (found != waiting_.end() && removes(found->effect)) {  // the key was not there any more
    waiting_.erase(found);
    found = next();
  }
  return found;
}

std::vector<ReplicatedCommands::ExecutedCommand> ReplicatedCommands::shown(const std::vector<Effect>& effects) {
  std::vector<ExecutedCommand> done;
  int last = 0;
  for (const Effect& effect : effects) {
    const auto found = next_of(effect);
    if (found == waiting_.end()) {
      const std::string word =
          removes(effect) ? "DEL" : effect.event;  // what else nobody has asked for is told as it is
      done.push_back({Command({word, effect.key}), harness::no_host, {effect}});
      last = 0;
      continue;
    }
    if (found->number != last) done.push_back({found->command, found->client, {}});
    done.back().effects.push_back(effect);
    last = found->number;
    waiting_.erase(found);
  }
  return done;
}

}  // namespace lockproof::real
