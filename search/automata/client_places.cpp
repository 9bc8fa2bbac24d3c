// SPDX-License-Identifier: Apache-2.0
#include "search/automata/client_places.hpp"

#include "search/automata/rewritten.hpp"

namespace lockproof::sim {
namespace {

Value with_moved_tokens(const Permutation& places, const Value& value) {
  return Value(with_names(value.bytes(), [&](TokenName token) { return moved(places, token); }), value.mark());
}

}  // namespace

TokenName moved(const Permutation& places, TokenName token) {
  const int client = token / token_names;
  if (client >= static_cast<int>(places.size())) return token;
  return token_name(moved(places, client), token % token_names + 1);
}

void move(const Permutation& places, CanonicalMessage& message) {
  const auto value = [&](const Value& v) { return with_moved_tokens(places, v); };
  message.command = rewritten(message.command, value);
  if (message.reply) message.reply = rewritten(*message.reply, value);
}

void move(const Permutation& places, harness::Event& event) {
  const auto value = [&](const Value& v) { return with_moved_tokens(places, v); };
  for (harness::HostIndex* host : {&event.host, &event.peer}) {
    if (*host >= 0 && *host < static_cast<int>(places.size())) *host = moved(places, *host);
  }
  if (event.command) event.command = rewritten(*event.command, value);
  if (event.reply) event.reply = rewritten(*event.reply, value);
}

}  // namespace lockproof::sim
