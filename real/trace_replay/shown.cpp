// SPDX-License-Identifier: Apache-2.0
#include "real/trace_replay/shown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockproof::real {

std::string shown(const std::vector<Value>& words) {
  std::vector<std::string> parts;
  for (const Value& word : words) parts.push_back(word.bytes());
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string shown(const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::nil: return "nil";
    case Reply::Kind::integer: return std::to_string(reply.integer());
    case Reply::Kind::status: return reply.value().bytes();
    case Reply::Kind::bulk: return fmt::format("\"{}\"", reply.value().bytes());
    case Reply::Kind::error: return "error: " + reply.value().bytes();
    case Reply::Kind::array: break;
  }
  std::vector<std::string> items;
  for (const Reply& item : reply.items()) items.push_back(shown(item));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string shown(const std::vector<harness::Effect>& effects) {
  std::vector<std::string> parts;
  for (const harness::Effect& effect : effects) {
    parts.push_back(fmt::format("{} {}", effect.event, effect.key));
    if (effect.ttl) parts.back() += fmt::format(" in {} ms", effect.ttl->count());
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lockproof::real
