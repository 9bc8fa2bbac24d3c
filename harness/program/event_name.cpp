// SPDX-License-Identifier: Apache-2.0
#include "harness/program/event_name.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/sha1.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t digits = 4;

std::string in_capitals(std::string_view word) {
  std::string capitals(word);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capitals;
}

}  // namespace

std::string event_verb(const Command& command) {
  if (command.args().empty()) return "?";
  std::string verb = in_capitals(command.args().front().bytes());
  std::ranges::replace_if(
      verb, [](char c) { return c <= ' ' || c > '~'; }, '?');
  if (verb.size() > 40) verb.resize(40);
  if (command.args().size() < 2) return verb;
  const std::string& script = command.args()[1].bytes();
  if (verb == "EVALSHA") return verb + ":" + script.substr(0, digits);
  if (verb == "EVAL") return verb + ":" + sha1_hex(script).substr(0, digits);
  return verb;
}

Command recorded(const Command& command) {
  std::vector<Value> words{Value(event_verb(command))};
  const bool is_script = command.args().size() > 1 && words.front().bytes().starts_with("EVAL");
  for (std::size_t i = is_script ? 2 : 1; i < command.args().size(); ++i) words.push_back(command.args()[i]);
  return Command(std::move(words));
}

bool waits_in_server(std::string_view verb) {
  constexpr std::string_view verbs[] = {"BLPOP",     "BRPOP",      "BLMOVE",     "BLMPOP",     "BRPOPLPUSH", "BZPOPMIN",
                                        "BZPOPMAX",  "BZMPOP",     "XREAD",      "XREADGROUP", "WAIT",       "WAITAOF",
                                        "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR"};
  return std::ranges::find(verbs, verb) != std::end(verbs);
}

}  // namespace lockproof::harness
