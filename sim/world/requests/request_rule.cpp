// SPDX-License-Identifier: Apache-2.0
#include "sim/world/requests/request_rule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace lockproof::sim {

std::string describe_lack(std::span<const RequestRule> known, std::string_view service, const Command& command) {
  const std::string_view verb = command.verb();
  const std::size_t words = command.args().size();
  const auto rule = std::ranges::find(known, verb, &RequestRule::verb);
  if (rule == known.end()) {
    std::vector<std::string_view> verbs;
    for (const RequestRule& one : known) verbs.push_back(one.verb);
    return fmt::format("sends {}, which the simulated {} does not know; it knows {}", verb, service,
                       fmt::join(verbs, ", "));
  }
  if (words >= rule->least && words <= rule->most) return "";
  const std::string right =
      rule->least == rule->most ? fmt::format("{}", rule->least) : fmt::format("{} or {}", rule->least, rule->most);
  return fmt::format("sends {} with {} words to {}, where it has {}, its own among them", verb, words, service, right);
}

}  // namespace lockproof::sim
