// SPDX-License-Identifier: Apache-2.0
#include "harness/program/made_key.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace lockproof::harness {

std::optional<std::string> made_key(const std::vector<Effect>& effects, std::string_view lock) {
  const auto makes = [](const Effect& e) { return e.change == Change::acquired || e.change == Change::changed; };
  const auto named =
      std::ranges::find_if(effects, [&](const Effect& e) { return makes(e) && e.key.find(lock) != std::string::npos; });
  const auto found = named != effects.end() ? named : std::ranges::find_if(effects, makes);
  return found == effects.end() ? std::nullopt : std::optional(found->key);
}

bool may_give_a_lease(const Command& command) {
  constexpr std::array options{"EX", "PX", "EXAT", "PXAT"};
  const std::string_view verb = command.verb();
  if (verb == "SETEX" || verb == "PSETEX" || verb == "GETEX" || verb.find("EXPIRE") != std::string_view::npos)
    return true;
  if (verb.starts_with("EVAL") || verb.starts_with("FCALL")) return true;
  const auto gives = [&](const Value& word) {
    std::string capitals = word.bytes();
    std::ranges::transform(capitals, capitals.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return std::ranges::find(options, capitals) != options.end();
  };
  const std::vector<Value>& words = command.args();
  return verb == "SET" && words.size() > 3 && std::any_of(words.begin() + 3, words.end(), gives);
}

}  // namespace lockproof::harness
