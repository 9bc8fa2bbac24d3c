// SPDX-License-Identifier: Apache-2.0
// Commands and replies with each of their values replaced by another one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::sim {

template <class Rewrite>
[[nodiscard]] Command rewritten(const Command& command, Rewrite rewrite) {
  std::vector<Value> words;
  words.reserve(command.args().size());
  for (const Value& word : command.args()) words.push_back(rewrite(word));
  return command.script().empty() ? Command(std::move(words)) : Command(Script{command.script(), {}}, std::move(words));
}

template <class Rewrite>
[[nodiscard]] Reply rewritten(const Reply& reply, Rewrite rewrite) {
  if (reply.kind() == Reply::Kind::bulk) return Reply::bulk(rewrite(reply.value()));
  if (reply.kind() != Reply::Kind::array) return reply;
  std::vector<Reply> items;
  for (const Reply& item : reply.items()) items.push_back(rewritten(item, rewrite));
  return Reply::array(std::move(items));
}

}  // namespace lockproof::sim
