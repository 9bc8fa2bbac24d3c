// SPDX-License-Identifier: Apache-2.0
#include "harness/program/made_key.hpp"

#include <algorithm>

namespace lockproof::harness {

std::optional<std::string> made_key(const std::vector<Effect>& effects, std::string_view lock) {
  const auto makes = [](const Effect& e) { return e.change == Change::acquired || e.change == Change::changed; };
  const auto named =
      std::ranges::find_if(effects, [&](const Effect& e) { return makes(e) && e.key.find(lock) != std::string::npos; });
  const auto found = named != effects.end() ? named : std::ranges::find_if(effects, makes);
  return found == effects.end() ? std::nullopt : std::optional(found->key);
}

}  // namespace lockproof::harness
