// SPDX-License-Identifier: Apache-2.0
// The building blocks of mutants: changes of a command on its way to the node, and of its reply on its way back.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "conformance/redis/mutants.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {

using sim::NodeAnswer;
using sim::redis::is_word;
using sim::redis::Node;
using Words = std::vector<Value>;

inline bool verb(const IncomingCommand& asked, std::string_view name) { return is_word(asked.command.args()[0], name); }

inline NodeAnswer plain(Node& node, const IncomingCommand& asked) {
  return node.execute({asked.connection, asked.command, {asked.now_ms}});
}

inline NodeAnswer with(Node& node, const IncomingCommand& asked, Words words) {
  return node.execute({asked.connection, Command(std::move(words)), {asked.now_ms}});
}

inline NodeAnswer without(Node& node, const IncomingCommand& asked, std::string_view option) {
  Words words = asked.command.args();
  std::erase_if(words, [&, i = 0](const Value& word) mutable { return i++ >= 3 && is_word(word, option); });
  return with(node, asked, std::move(words));
}

/// The same, with another reply to this verb if the node's reply is not an error.
inline NodeAnswer answering(Node& node, const IncomingCommand& asked, std::string_view name,
                            Reply (*other)(const IncomingCommand&, Reply)) {
  NodeAnswer executed = plain(node, asked);
  const bool queued = executed.reply == Reply::status("QUEUED");
  if (verb(asked, name) && !executed.reply.is_error() && !queued) {
    executed.reply = other(asked, std::move(executed.reply));
  }
  return executed;
}

/// The same, with another reply in place of an error that contains this text.
inline NodeAnswer excusing(Node& node, const IncomingCommand& asked, std::string_view text, Reply instead) {
  NodeAnswer executed = plain(node, asked);
  if (executed.reply.is_error() && executed.reply.value().bytes().find(text) != std::string::npos) {
    executed.reply = std::move(instead);
  }
  return executed;
}

inline const sim::redis::Entry* entry(const Node& node, const IncomingCommand& asked) {
  if (asked.command.args().size() < 2) return nullptr;
  const auto found = node.keys().entries().find(asked.command.args()[1].bytes());
  return found == node.keys().entries().end() ? nullptr : &found->second;
}

inline bool in_multi(const Node& node, const IncomingCommand& asked) {
  const auto found = node.state().sessions.all().find(asked.connection);
  return found != node.state().sessions.all().end() && found->second.multi;
}

inline constexpr const char* ok = "OK";
inline Reply plus_one(const IncomingCommand&, Reply reply) { return Reply::integer(reply.integer() + 1); }

/// Mutants of WAIT, CLIENT PAUSE and min-replicas-to-write.
[[nodiscard]] std::span<const Mutant> wait_mutants();
/// Mutants of rules for several nodes.
[[nodiscard]] std::span<const Mutant> nodes_mutants();

}  // namespace lockproof::conformance::redis
